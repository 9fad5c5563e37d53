// The hooks of the module QueryTools and of tests to observe a running machine. The compiler makes two copies of the
// machine: one without observer, which costs nothing, and one for all others.

import XMLTree

package enum MachineEvent {
    /// The step at `address` is run with the top cursor on `node`; or, if it is a `child`, its cursor advances.
    case runs(_ address: Int, node: NodeIndex, isAdvancing: Bool)
    /// A step visited an element.
    case visited(NodeIndex)
}

/// Receives the events of a machine.
protocol MachineObserver {
    func receive(_ event: MachineEvent)
}

/// Ignores all events.
struct NoObserver: MachineObserver {
    @inline(__always) func receive(_ event: MachineEvent) {}
}

/// Passes all events to a function.
struct EventObserver: MachineObserver {
    private let receiver: (MachineEvent) -> Void

    init(_ receiver: @escaping (MachineEvent) -> Void) { self.receiver = receiver }

    @inline(never) func receive(_ event: MachineEvent) { receiver(event) }
}

extension Query<QueryValue> {
    /// Evaluates the query, and reports how.
    ///
    /// - Parameters:
    ///   - receive: Gets each event of the machine.
    ///   - found: Gets a function that makes a result, after the events that lead to it. Returns whether to look for
    ///     more.
    package func observe(
        _ element: Element, _ arguments: [any QueryArgument], _ receive: @escaping (MachineEvent) -> Void,
        _ found: (() -> QueryValue) -> Bool
    ) throws(QueryError) {
        let bound = try binding(values: arguments.map(\.queryArgument))
        if let error { throw error }
        let (none, observer) = (_QueryArguments(start: nil, count: 0), EventObserver(receive))
        try Evaluation.run(compiled, bound.arguments, on: element, none, observer: observer) {
            machine throws(RegexFault) in
            while let hit = try machine.next(), found({ QueryValue(hit, of: compiled, in: element) }) {}
        }
    }
}
