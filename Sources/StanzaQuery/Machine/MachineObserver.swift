// The hooks for Trace.swift, Inspection.swift, Statistics.swift and tests to observe a running machine. The compiler
// makes two copies of the machine: one without observer, which costs nothing, and one for all others.

import XMLTree

/// An event of a machine.
enum MachineEvent {
    /// The instruction at `address` is run with the top cursor on `node`; or, if it is a step, its cursor advances.
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

    init(_ receiver: @escaping (MachineEvent) -> Void) {
        self.receiver = receiver
    }

    @inline(never) func receive(_ event: MachineEvent) { receiver(event) }
}

extension Query {
    /// Runs a machine whose events a function receives.
    func observe<Result>(
        _ element: Element, _ arguments: [any QueryArgument], _ receiver: @escaping (MachineEvent) -> Void,
        _ body: (inout Machine<EventObserver>) throws(RegexFault) -> Result
    ) throws(QueryError) -> Result {
        let bound = try binding(values: arguments.map(\.queryArgument))
        if let error = compiled.error { throw error }
        return try withValues(of: bound.arguments) { values throws(QueryError) in
            try Evaluation.run(compiled, on: element, values, observer: EventObserver(receiver), body)
        }
    }
}
