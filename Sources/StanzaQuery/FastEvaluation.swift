// The fast path of `check` and `findFirst`: a program that needs neither arguments nor what surrounds the tree.
//
// Most evaluations end at the first instruction, without a child of that name or an attribute of that value, or yield at
// the second one. These are run here, before a machine is made. Nothing here holds, throws or allocates; what cannot be decided so
// (a regular expression at its limit, a text in pieces) is evaluated again by Evaluation.swift.

import XMLTree

enum FastEvaluation {
    /// What the fast path found out.
    enum Outcome {
        case hit(Hit)
        case nothing
        case undecided
    }

    /// The first result of a program. Releases nothing that its caller holds, and says so to the optimiser: that spares
    /// the caller a retain and a release for each evaluation.
    @inline(__always)
    static func firstHit(_ program: Program, _ view: TreeView, _ context: NodeIndex) -> Outcome {
        switch runFirst(program, view, context) {
        case .fails: .nothing
        case .hit(let hit): .hit(hit)
        case .passes(let node, let isStep):
            firstHit(.passUnretained(program), view, behindFirst: node, isStep: isStep)
        case .isNotRun: firstHit(.passUnretained(program), view, context)
        }
    }

    /// Whether a program has a result; `nil` when that is undecided.
    @inline(__always)
    static func hasHit(_ program: Program, _ view: TreeView, _ context: NodeIndex) -> Bool? {
        switch runFirst(program, view, context) {
        case .fails: false
        case .hit: true
        case .passes(let node, let isStep):
            hasHit(.passUnretained(program), view, behindFirst: node, isStep: isStep)
        case .isNotRun: hasHit(.passUnretained(program), view, context)
        }
    }

    // MARK: The first instruction

    private enum FirstInstruction {
        case fails
        /// It passes, and the second one yields this.
        case hit(Hit)
        /// It passes and leaves the top cursor on that element; `isStep`: it pushed that cursor.
        case passes(NodeIndex, isStep: Bool)
        case isNotRun
    }

    @inline(__always)
    private static func runFirst(_ program: Program, _ view: TreeView, _ context: NodeIndex) -> FirstInstruction {
        var observer = NoObserver()
        switch program.instructions.pointee {
        case .childrenNamed(let name, _):
            let child = view.firstNamed(name, from: view[context].firstChild, &observer)
            return child == .none ? .fails : passes(program, child, isStep: true)
        case .childrenNamedInherited(let name, _):
            let child = view.firstNamedInherited(name, from: view[context].firstChild, &observer)
            return child == .none ? .fails : passes(program, child, isStep: true)
        case .isNamed(let name):
            return view[context].key == name ? passes(program, context, isStep: false) : .fails
        case .attributeEquals(let name, let string):
            let isEqual = view.attribute(name, of: context, equals: program.string(string))
            return isEqual ? passes(program, context, isStep: false) : .fails
        case .hasAttribute(let name):
            let isThere = view.attribute(qualified: name, of: context) != nil
            return isThere ? passes(program, context, isStep: false) : .fails
        case .loadAttribute(let name):
            guard let value = view.attribute(qualified: name, of: context) else { return .fails }
            if case .yieldString = program.instructions[1] { return .hit(.string(view.string(value))) }
            return .isNotRun
        default:
            return .isNotRun
        }
    }

    @inline(__always)
    private static func passes(_ program: Program, _ node: NodeIndex, isStep: Bool) -> FirstInstruction {
        if case .yieldElement = program.instructions[1] { return .hit(.element(node)) }
        return .passes(node, isStep: isStep)
    }

    // MARK: The rest

    @inline(never) @_effects(releasenone)
    private static func firstHit(_ program: Unmanaged<Program>, _ view: TreeView, _ context: NodeIndex) -> Outcome {
        let input = MachineInput(program, view: view, bindings: nil, arguments: .none)
        return firstHit(Machine(input, context: context, observer: NoObserver()))
    }

    @inline(never) @_effects(releasenone)
    private static func firstHit(
        _ program: Unmanaged<Program>, _ view: TreeView, behindFirst node: NodeIndex, isStep: Bool
    ) -> Outcome {
        let input = MachineInput(program, view: view, bindings: nil, arguments: .none)
        return firstHit(Machine(input, behindFirst: node, isStep: isStep, observer: NoObserver()))
    }

    @inline(__always)
    private static func firstHit(_ machine: consuming Machine<NoObserver>) -> Outcome {
        do {
            guard let hit = try machine.next() else { return .nothing }
            return machine.hasJoinedText ? .undecided : .hit(hit)
        } catch {
            return .undecided
        }
    }

    @inline(never) @_effects(releasenone)
    private static func hasHit(_ program: Unmanaged<Program>, _ view: TreeView, _ context: NodeIndex) -> Bool? {
        let input = MachineInput(program, view: view, bindings: nil, arguments: .none)
        return hasHit(Machine(input, context: context, observer: NoObserver()))
    }

    @inline(never) @_effects(releasenone)
    private static func hasHit(
        _ program: Unmanaged<Program>, _ view: TreeView, behindFirst node: NodeIndex, isStep: Bool
    ) -> Bool? {
        let input = MachineInput(program, view: view, bindings: nil, arguments: .none)
        return hasHit(Machine(input, behindFirst: node, isStep: isStep, observer: NoObserver()))
    }

    @inline(__always)
    private static func hasHit(_ machine: consuming Machine<NoObserver>) -> Bool? {
        do {
            return try machine.next() != nil
        } catch {
            return nil
        }
    }
}
