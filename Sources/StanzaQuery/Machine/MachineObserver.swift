// What is seen of a running machine, by Trace.swift, Inspection.swift, Statistics.swift and tests. The machine is
// compiled once for each observer, so that the one that sees nothing costs nothing.

import XMLTree

/// Is told what a machine does.
protocol MachineObserver {
    /// The instruction at `address` is run with the top cursor on `node`; or, if it is a step, its cursor advances.
    mutating func willRun(_ address: Int, node: NodeIndex, isAdvancing: Bool)
    /// A step looked at an element.
    mutating func didVisit(_ node: NodeIndex)
}

/// Sees nothing.
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
        try withValues(of: arguments.map(\.queryArgument)) { values throws(QueryError) in
            try Evaluation.run(self, on: element, values, observer: observer, body)
        }
    }
}
