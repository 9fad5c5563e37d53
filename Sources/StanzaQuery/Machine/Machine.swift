// Runs a program on an element: a loop over instructions that hands out one result at a time.
//
// The machine does not store the stack of Instruction.swift's model, because the tree holds it. A cursor's element is a
// child of the element below. To pop a cursor is to go to the parent, and to advance it is to go to the next sibling.
// Only registers remain: the top cursor's element, the step that pushed it, and the value on the stack. The stack takes
// no memory, and its depth has no bound. Dropping a cursor at `leave` also keeps node sets free of duplicates (2.5).
//
// MachineInput+Values.swift reads values and forms, Hit.swift makes results. The verifier has checked the program; the
// machine checks nothing.

import XMLTree

/// One evaluation of a program on one element.
struct Machine<Observer: MachineObserver>: ~Copyable {
    private let input: MachineInput
    private let observer: Observer
    private var registers: Registers
    private var isDone = false
    /// Holds the value if it was joined from several pieces.
    private var joined = JoinedText()
    private var prefixes = PrefixMemo()

    @inline(__always)
    init(_ input: MachineInput, context: NodeIndex, observer: Observer) {
        self.input = input
        self.observer = observer
        registers = Registers(node: context)
    }

    /// A machine that has run its first instruction, whose result is known: the step's cursor, if it is a step.
    @inline(__always)
    init(_ input: MachineInput, behindFirst node: NodeIndex, isStep: Bool, observer: Observer) {
        self.init(input, context: node, observer: observer)
        registers.address = 1
        if isStep { registers.step = Address(rawValue: 0) }
    }

    /// The next result; `nil` after the last one. It releases nothing that existed before: a match takes its scratch
    /// memory from PCRE2, which counts no references. FastEvaluation.swift has the reason for the attribute.
    @inline(never) @_effects(releasenone)
    mutating func next() throws(RegexFault) -> Hit? { try run() }

    /// The same, inlined into its caller, for the one place where that matters.
    @inline(__always)
    mutating func run() throws(RegexFault) -> Hit? {
        if isDone { return nil }
        let view = input.view
        // In locals, so that they stay in the processor's registers.
        var registers = self.registers
        while true {
            let instruction = input.code[registers.address]
            observer.receive(.runs(registers.address, node: registers.node, isAdvancing: registers.isAdvancing))
            let passes: Bool
            switch instruction {
            case .childrenNamed(let name, let outer):
                let child = view.firstNamed(name, from: registers.candidate(view), observer)
                passes = push(child, outer: outer, &registers)
            case .childrenNamedInherited(let name, let outer):
                let child = view.firstNamedInherited(name, from: registers.candidate(view), observer)
                passes = push(child, outer: outer, &registers)
            case .childrenNamedAnywhere(let name, let outer):
                let child = view.firstNamedAnywhere(name, from: registers.candidate(view), observer)
                passes = push(child, outer: outer, &registers)
            case .childrenInNamespace(let namespace, let outer):
                let child = view.firstInNamespace(namespace, from: registers.candidate(view), observer)
                passes = push(child, outer: outer, &registers)
            case .childrenInInherited(let outer):
                let child = view.firstInInherited(from: registers.candidate(view), observer)
                passes = push(child, outer: outer, &registers)
            case .childrenAll(let outer):
                let child = registers.candidate(view)
                if child != .none { observer.receive(.visited(child)) }
                passes = push(child, outer: outer, &registers)

            case .leave(let outer):
                registers.node = view[registers.node].parent
                registers.step = outer
                passes = true
            case .ascend:
                let parent = view[registers.node].parent
                if parent != .none { registers.node = parent }
                passes = true

            case .isNamed(let name): passes = view[registers.node].key == name
            case .isNamedInherited(let name):
                passes = view.name(of: registers.node).local == name && view.isInNamespaceOfParent(registers.node)
            case .isNamedAnywhere(let name): passes = view.name(of: registers.node).local == name
            case .isInNamespace(let namespace): passes = view.name(of: registers.node).namespace == namespace
            case .isInInherited: passes = view.isInNamespaceOfParent(registers.node)
            case .isNotNamed(let name): passes = view.name(of: registers.node).local != name

            case .hasAttribute(let name): passes = view.attribute(qualified: name, of: registers.node) != nil
            case .attributeEquals(let name, let string):
                passes = view.attribute(name, of: registers.node, equals: input.string(string))
            case .attributeEqualsArgument(let name, let argument):
                passes = view.attribute(name, of: registers.node, equals: input.arguments[argument])

            case .loadAttribute(let name):
                passes = registers.load(view.attribute(qualified: name, of: registers.node), view)
            case .loadResolvedAttribute(let attribute):
                passes = registers.load(input.resolve(attribute, at: registers.node, &prefixes), view)
            case .loadNamespace: passes = registers.load(nonEmpty: view.namespace(of: registers.node))
            case .loadName: passes = registers.load(nonEmpty: view.localName(of: registers.node))
            case .loadText: passes = registers.load(nonEmpty: joined.text(of: registers.node, view))
            case .loadField(let form):
                passes = registers.load(nonEmpty: joined.text(of: input.fieldValue(form, at: registers.node), view))

            case .drop: passes = true
            case .equals(let string): passes = registers.value.equals(input.string(string))
            case .equalsArgument(let argument): passes = registers.value.equals(input.arguments[argument])
            case .equalsIgnoringCase(let string):
                passes = CaselessComparison.areEqual(registers.value, input.string(string))
            case .equalsArgumentIgnoringCase(let argument):
                passes = CaselessComparison.areEqual(registers.value, input.arguments[argument])
            case .isOneOf(let strings): passes = input.isOneOf(registers.value, strings)
            case .hasPrefix(let string): passes = registers.value.hasPrefix(input.string(string))
            case .hasSuffix(let pattern): passes = try input.hasSuffix(registers.value, pattern)
            case .contains(let pattern): passes = try input.contains(registers.value, pattern)
            case .matches(let pattern): passes = try input.matches(registers.value, pattern)

            case .yieldElement:
                return yield(.element(registers.node), registers)
            case .yieldAttributes:
                return yield(.attributes(registers.node), registers)
            case .yieldString:
                return yield(.string(registers.value), registers)
            case .yieldText:
                if view.hasText(registers.node) { return yield(.text(registers.node), registers) }
                passes = false
            case .yieldConvertedText(let conversion):
                if view.hasText(registers.node) {
                    return yield(.convertedText(registers.node, conversion), registers)
                }
                passes = false
            case .yieldFieldText(let form):
                if let value = input.fieldValue(form, at: registers.node), view.hasText(value) {
                    return yield(.text(value), registers)
                }
                passes = false
            case .yieldConverted(let conversion, let isStrict):
                if let converted = ConvertedValue(registers.value, conversion, isStrict: isStrict) {
                    return yield(.converted(converted), registers)
                }
                passes = false
            case .yieldForm(let form):
                if input.hasForm(form, at: registers.node) { return yield(.form(registers.node), registers) }
                passes = false
            case .yieldFieldDescription(let form):
                if let place = input.fieldPlace(form, at: registers.node) {
                    return yield(.field(place), registers)
                }
                passes = false
            }
            if passes {
                registers.address += 1
                registers.isAdvancing = false
            } else if !registers.advance() {
                isDone = true
                return nil
            }
        }
    }

    /// Puts the step's cursor on a child; without one, takes it off the stack.
    @inline(__always)
    private mutating func push(_ child: NodeIndex, outer: Address?, _ registers: inout Registers) -> Bool {
        if child != .none {
            registers.node = child
            registers.step = Address(rawValue: UInt32(truncatingIfNeeded: registers.address))
            return true
        }
        if registers.isAdvancing { registers.node = input.view[registers.node].parent }
        registers.step = outer
        return false
    }

    /// Hands out a result, and then fails.
    @inline(__always)
    private mutating func yield(_ hit: Hit, _ registers: Registers) -> Hit {
        self.registers = registers
        isDone = !self.registers.advance()
        return hit
    }
}

/// The state of a running program.
private struct Registers {
    /// The element at the top cursor.
    var node: NodeIndex
    /// The step that pushed the top cursor; `nil` when only the context's cursor is left.
    var step: Address?
    var address = 0
    /// Whether the instruction at `address` is a step whose cursor advances, rather than one that is run.
    var isAdvancing = false
    /// The value on the stack.
    var value = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    init(node: NodeIndex) {
        self.node = node
    }

    /// Where a step begins to look: after its cursor, or at the first child.
    @inline(__always)
    func candidate(_ view: TreeView) -> NodeIndex {
        isAdvancing ? view[node].next : view[node].firstChild
    }

    /// Makes the top cursor advance; false when only the context is left.
    @inline(__always)
    mutating func advance() -> Bool {
        guard let step else { return false }
        address = Int(step.rawValue)
        isAdvancing = true
        return true
    }

    @inline(__always)
    mutating func load(_ reference: ByteReference?, _ view: TreeView) -> Bool {
        guard let reference else { return false }
        value = view.string(reference)
        return true
    }

    @inline(__always)
    mutating func load(nonEmpty bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        value = bytes
        return !bytes.isEmpty
    }
}
