// The fast path on frozen trees: what can be answered without arguments, without errors and without holding anything.
//
// Nothing here throws or allocates, and nothing releases what its caller holds; `@_effects(releasenone)` says so to the
// optimiser, which spares callers a retain and a release for each evaluation. What cannot be decided so (arguments, a
// regular expression at its limit, a prefix) is evaluated again by Evaluation.swift.

import XMLTree

@usableFromInline enum FastEvaluation {
    /// What the fast path found out.
    @usableFromInline enum Answer {
        case no, yes, undecided
    }

    /// Whether a query without arguments has a result. A leaf but for the machine.
    @usableFromInline @inline(never) @_effects(releasenone)
    static func check(_ query: Query, on element: Element) -> Answer {
        let storage = query.storage
        if storage.probe.argumentCount != 0 { return .undecided }
        let node = storage.probe.run(element.view, at: element.index, storage.program)
        if node == .none { return .no }
        if storage.probe.isDecisive { return .yes }
        return runMachine(.passUnretained(storage), .passUnretained(element.tree), node)
    }

    /// Whether the first instruction tells that a query has no result, whatever its arguments are.
    @usableFromInline @inline(never) @_effects(releasenone)
    static func rulesOut(_ query: Query, argumentCount: Int, on element: Element) -> Bool {
        let storage = query.storage
        if storage.probe.argumentCount != argumentCount { return false }
        return storage.probe.run(element.view, at: element.index, storage.program) == .none
    }

    /// Goes on where the probe stopped.
    @inline(never) @_effects(releasenone)
    private static func runMachine(
        _ query: Unmanaged<Query.Storage>, _ tree: Unmanaged<Tree>, _ node: NodeIndex
    ) -> Answer {
        let (program, probe) = query._withUnsafeGuaranteedRef { (Unmanaged.passUnretained($0.program), $0.probe) }
        if program._withUnsafeGuaranteedRef({ $0.usesPrefixes }) { return .undecided }
        let view = tree._withUnsafeGuaranteedRef { $0.view }
        let input = MachineInput(program, view: view, bindings: nil, arguments: .none)
        var machine =
            probe.isWholeInstruction
            ? Machine(input, behindFirst: node, isStep: probe.isStep, observer: NoObserver())
            : Machine(input, context: node, observer: NoObserver())
        do {
            return try machine.next() == nil ? .no : .yes
        } catch {
            return .undecided
        }
    }
}
