// A record of what a machine did, step by step.

import XMLTree

/// Notes every instruction with the element that it is run on.
struct TracingObserver: MachineObserver {
    /// One step of an evaluation.
    struct Step: Equatable {
        let address: Int
        let node: NodeIndex
        /// Whether a step's cursor advances to its next candidate.
        let isAdvancing: Bool
    }

    private(set) var steps: [Step] = []

    mutating func willRun(_ address: Int, node: NodeIndex, isAdvancing: Bool) {
        steps.append(Step(address: address, node: node, isAdvancing: isAdvancing))
    }

    mutating func didVisit(_ node: NodeIndex) {}
}
