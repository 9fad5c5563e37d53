// The fast path on frozen trees, for evaluations without arguments, without errors and without retained objects.
//
// The functions throw no errors, and release no objects that their caller holds. `@_effects(releasenone)` declares that
// to the optimizer, which saves callers a retain and a release for each evaluation. Evaluation.swift evaluates the
// other cases again (arguments, a regular expression at its limit, a prefix).
//
// The attribute lets the optimizer move a caller's retain to after the call, or drop it. That is safe for each function
// of this module with the attribute: it releases only objects that it has retained or made, and no store or atomic
// operation in it lets another thread release an object that the caller uses. A function that evicts or gives back a
// shared object must not have it.
//
// The unretained references below are to objects that the arguments hold, which live until the function returns.

import XMLTree

/// The outcome of the fast path.
@usableFromInline enum FastAnswer {
    case no, yes, undecided
}

extension CompiledQuery {
    /// Whether a query without arguments has a result. It calls only the machine.
    @usableFromInline @inline(never) @_effects(releasenone)
    func fastCheck(on element: Element) -> FastAnswer {
        if probe.argumentCount != 0 { return .undecided }
        if _slowPath(probe.question == .attributeValue) { return checkAttributeValue(element) }
        let node = probe.run(element.view, at: element.index)
        if node == .none { return .no }
        if probe.isDecisive { return .yes }
        return Self.runMachine(.passUnretained(self), .passUnretained(element.tree), node)
    }

    /// Whether the first instruction rules out a result, for any arguments.
    @usableFromInline @inline(never) @_effects(releasenone)
    func rulesOut(_ element: Element, argumentCount: Int) -> Bool {
        if probe.argumentCount != argumentCount { return false }
        if probe.question == .attributeValue { return !hasAttributeValue(element) }
        return probe.run(element.view, at: element.index) == .none
    }

    // A comparison of bytes takes registers, and saving them would slow down all other probes.

    @inline(never) @_effects(releasenone)
    private func checkAttributeValue(_ element: Element) -> FastAnswer {
        if !probe.hasAttributeValue(element.view, at: element.index, program) { return .no }
        if probe.isDecisive { return .yes }
        return Self.runMachine(.passUnretained(self), .passUnretained(element.tree), element.index)
    }

    @inline(never) @_effects(releasenone)
    private func hasAttributeValue(_ element: Element) -> Bool {
        probe.hasAttributeValue(element.view, at: element.index, program)
    }

    /// Continues after the probe's instruction.
    @inline(never) @_effects(releasenone)
    private static func runMachine(
        _ query: Unmanaged<CompiledQuery>, _ tree: Unmanaged<Tree>, _ node: NodeIndex
    ) -> FastAnswer {
        let (program, probe) = query._withUnsafeGuaranteedRef { (Unmanaged.passUnretained($0.program), $0.probe) }
        if program._withUnsafeGuaranteedRef({ $0.usesPrefixes }) { return .undecided }
        let view = tree._withUnsafeGuaranteedRef { $0.view }
        let input = MachineInput(program, view: view, bindings: nil, arguments: .none)
        var machine =
            probe.isWholeInstruction
            ? Machine(input, behindFirst: node, isStep: probe.isStep, observer: NoObserver())
            : Machine(input, context: node, observer: NoObserver())
        do {
            return try machine.run() == nil ? .no : .yes
        } catch {
            return .undecided
        }
    }
}
