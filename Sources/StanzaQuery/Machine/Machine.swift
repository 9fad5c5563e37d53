// Runs a program on an element: a loop over steps that hands out one result at a time.
//
// The machine does not store the stack of Step.swift's model, because the tree holds it. A cursor's element is a child
// of the element below. To pop a cursor is to go to the parent, and to advance it is to go to the next sibling. Only
// registers remain: the top cursor's element, and the step that pushed it. The stack takes no memory, and its depth has
// no bound. Dropping a cursor at `leave` also keeps node sets free of duplicates (2.5).
//
// MachineInput.swift reads values and forms. The machine checks nothing.

import QuerySyntax
import XMLTree

/// One evaluation of a program on one element.
struct Machine<Observer: MachineObserver>: ~Copyable {
    private let input: MachineInput
    private let observer: Observer
    private(set) var registers: Registers
    private var prefixes = PrefixMemo()

    /// - Parameter start: The step to begin with. No `..` after it may leave a step before it.
    @inline(__always)
    init(_ input: MachineInput, context: NodeIndex, from start: Int = 0, observer: Observer) {
        self.input = input
        self.observer = observer
        registers = Registers(node: context, start: start)
    }

    /// A machine that continues with the state of another one.
    @inline(__always)
    init(_ input: MachineInput, resuming registers: Registers, observer: Observer) {
        self.input = input
        self.observer = observer
        self.registers = registers
    }

    /// A machine that has run its first step, whose outcome is known: the step's cursor, if it pushes one.
    @inline(__always)
    init(_ input: MachineInput, behindFirst node: NodeIndex, isChild: Bool, observer: Observer) {
        self.init(input, context: node, observer: observer)
        registers.address = 1
        if isChild { registers.cursor = 1 }
    }

    /// The next result; `nil` after the last one. It releases nothing that existed before: a match takes its scratch
    /// memory from PCRE2, which counts no references. FastEvaluation.swift has the reason for the attribute.
    @inline(never) @_effects(releasenone)
    mutating func next() throws(RegexFault) -> Hit? { try run() }

    /// The same, inlined into its caller, for the one place where that matters.
    @inline(__always)
    mutating func run() throws(RegexFault) -> Hit? {
        if registers.isDone { return nil }
        let view = input.view
        // In locals, so that they stay in the processor's registers.
        var registers = self.registers
        while true {
            let step = input.code[registers.address]
            observer.receive(.runs(registers.address, node: registers.node, isAdvancing: registers.isAdvancing))
            let passes: Bool
            switch step.op {
            case .child:
                let child = view.first(step.test, step.key, from: registers.candidate(view), observer)
                if child != .none {
                    registers.node = child
                    registers.cursor = UInt32(truncatingIfNeeded: registers.address &+ 1)
                    passes = true
                } else {
                    if registers.isAdvancing { registers.node = view[registers.node].parent }
                    registers.cursor = step.outer
                    passes = false
                }
            case .own: passes = view.passes(step.test, step.key, registers.node)
            case .not: passes = view.name(of: registers.node).local != step.key
            case .leave:
                registers.node = view[registers.node].parent
                registers.cursor = step.outer
                passes = true
            case .ascend:
                let parent = view[registers.node].parent
                if parent != .none { registers.node = parent }
                passes = true
            case .filter:
                if let value = value(of: step, at: registers.node) {
                    passes = try input.holds(step, value, at: registers.address)
                } else {
                    passes = false
                }
            case .yield:
                if let hit = result(step, at: registers.node) {
                    // Hands out the result, and then fails.
                    registers.isDone = !registers.advance()
                    self.registers = registers
                    return hit
                }
                passes = false
            }
            if passes {
                registers.address &+= 1
                registers.isAdvancing = false
            } else if !registers.advance() {
                self.registers.isDone = true
                return nil
            }
        }
    }

    /// Writes the next results of a program whose results are elements, as many as there is room for. Returns their
    /// number, which is smaller only after the last one.
    @inline(__always)
    mutating func nextElements(_ batch: UnsafeMutableBufferPointer<NodeIndex>) throws(RegexFault) -> Int {
        var count = 0
        while count < batch.count {
            let step = input.code + registers.address
            if registers.isAdvancing, !registers.isDone, step[0].op == .child, step[1].op == .yield {
                count = addSiblings(step[0], to: batch, count)
                if count == batch.count { break }
            }
            guard case .element(let node)? = try next() else { break }
            batch[count] = node
            count &+= 1
        }
        return count
    }

    /// Results right after a step to children are siblings: one leads to the next without the loop of steps.
    @inline(__always)
    private mutating func addSiblings(
        _ step: Step, to batch: UnsafeMutableBufferPointer<NodeIndex>, _ start: Int
    ) -> Int {
        let view = input.view
        var (node, count) = (registers.node, start)
        while count < batch.count {
            let next = view.first(step.test, step.key, from: view[node].next, observer)
            if next == .none {
                registers.node = view[node].parent
                registers.cursor = step.outer
                registers.isDone = !registers.advance()
                return count
            }
            node = next
            batch[count] = node
            count &+= 1
        }
        registers.node = node
        return count
    }

    /// The value of an attribute, or the namespace (4.3, 1.3).
    @inline(__always)
    private mutating func value(of step: Step, at node: NodeIndex) -> UnsafeBufferPointer<UInt8>? {
        if step.source != .plain { return input.value(of: step, at: node, &prefixes) }
        return input.view.attribute(qualified: step.key, of: node).map { input.view.string($0) }
    }

    @inline(__always)
    private mutating func result(_ step: Step, at node: NodeIndex) -> Hit? {
        switch step.result {
        case .element: .element(node)
        case .attributes: .attributes(node)
        case .attribute: value(of: step, at: node).flatMap { input.convertible($0, step.conversion) }
        case .text: text(of: node, step.conversion)
        case .name: input.convertible(input.view.localName(of: node), step.conversion)
        case .field: input.fieldValue(step, at: node).flatMap { text(of: $0, step.conversion) }
        case .form: input.hasForm(step, at: node) ? .form(node) : nil
        case .description: input.fieldPlace(step, at: node).map { .field($0) }
        }
    }

    /// The own text of an element, if it is not empty.
    @inline(__always)
    private mutating func text(of node: NodeIndex, _ conversion: Conversion?) -> Hit? {
        if !input.view.hasText(node) { return nil }
        guard let conversion else { return .text(node, nil) }
        return input.convertsText(of: node, conversion) ? .text(node, conversion) : nil
    }
}

/// The state of a running program. It has no references: another machine can continue with it.
@usableFromInline struct Registers: BitwiseCopyable, Sendable {
    /// The element at the top cursor.
    var node: NodeIndex
    /// The place after the step that pushed the top cursor.
    var cursor: UInt32 = 0
    /// The first step. Cursors of steps before it belong to the context.
    private let start: UInt32
    var address: Int
    /// Whether the step at `address` is one whose cursor advances, rather than one that is run.
    var isAdvancing = false
    var isDone = false

    @inline(__always)
    init(node: NodeIndex, start: Int = 0) {
        self.node = node
        self.start = UInt32(truncatingIfNeeded: start)
        address = start
    }

    /// Where a step begins to look: after its cursor, or at the first child.
    @inline(__always)
    func candidate(_ view: TreeView) -> NodeIndex { isAdvancing ? view[node].next : view[node].firstChild }

    /// Makes the top cursor advance; false when only the context is left.
    @inline(__always)
    mutating func advance() -> Bool {
        if cursor <= start { return false }
        address = Int(cursor) &- 1
        isAdvancing = true
        return true
    }
}
