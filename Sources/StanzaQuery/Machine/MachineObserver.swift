// The hooks for Trace.swift, Inspection.swift, Statistics.swift and tests to observe a running machine. The compiler
// specializes the machine for each observer, so that the empty observer costs nothing.

import XMLTree

/// Receives the events of a machine.
protocol MachineObserver {
    /// The instruction at `address` is run with the top cursor on `node`; or, if it is a step, its cursor advances.
    mutating func willRun(_ address: Int, node: NodeIndex, isAdvancing: Bool)
    /// A step visited an element.
    mutating func didVisit(_ node: NodeIndex)
}

/// Ignores all events.
struct NoObserver: MachineObserver {
    @inline(__always) mutating func willRun(_ address: Int, node: NodeIndex, isAdvancing: Bool) {}
    @inline(__always) mutating func didVisit(_ node: NodeIndex) {}
}

extension Query {
    /// Runs a machine that is watched.
    func observe<Observer: MachineObserver, Result>(
        _ element: Element, _ arguments: [any QueryArgument], by observer: Observer,
        _ body: (inout Machine<Observer>) throws(RegexFault) -> Result
    ) throws(QueryError) -> Result {
        let bound = try binding(values: arguments.map(\.queryArgument))
        if let error = compiled.error { throw error }
        return try withValues(of: bound.arguments) { values throws(QueryError) in
            try Evaluation.run(compiled, on: element, values, observer: observer, body)
        }
    }
}
