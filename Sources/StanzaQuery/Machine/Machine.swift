// Runs a program on an element: a loop over instructions that hands out one result at a time.
//
// The stack of Instruction.swift's model is not stored, the tree holds it: a cursor's element is a child of the element
// below, so popping is going to the parent and advancing is going to the next sibling. What is left are registers: the
// top cursor's element, the step that pushed it, and the value on the stack. Nothing is allocated, and no depth is
// bounded. Dropping a cursor at `leave` is also what keeps node sets free of duplicates (2.5).
//
// Values are read in Machine+Values.swift, results are made in Hit.swift. The program was verified; the machine checks
// nothing. It borrows program, tree and arguments from its caller.

import XMLTree

/// One evaluation of a program on one element.
struct Machine<Observer: MachineObserver>: ~Copyable {
    let program: Program
    let view: TreeView
    /// What surrounds the tree, for prefixes.
    let bindings: SharedNamespaceContext?
    let arguments: ArgumentValues
    var observer: Observer
    /// The element that the top cursor stands on.
    private(set) var node: NodeIndex
    /// The step that pushed the top cursor; `nil` when only the context's cursor is left.
    private var step: Address?
    private var address = 0
    /// Whether the instruction at `address` is a step whose cursor advances, rather than one that is run.
    private var isAdvancing = false
    private var isDone = false
    /// The value on the stack.
    var value = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// Holds the value when it had to be put together.
    var joined = JoinedText()

    init(
        _ program: Program, view: TreeView, context: NodeIndex, bindings: SharedNamespaceContext?,
        arguments: ArgumentValues, observer: Observer
    ) {
        self.program = program
        self.view = view
        self.bindings = bindings
        self.arguments = arguments
        self.observer = observer
        node = context
    }

    /// The next result; `nil` when there are no more.
    mutating func next() throws(RegexFault) -> Hit? {
        if isDone { return nil }
        while true {
            let instruction = program.instructions[address]
            observer.willRun(address, node: node, isAdvancing: isAdvancing)
            let passes: Bool
            switch instruction {
            case .childrenNamed(let name, let outer):
                var child = candidate()
                while child != .none, view[child].key != name { child = following(child) }
                if !push(child, outer: outer) { return nil }
                continue
            case .childrenNamedInherited(let name, let outer):
                var child = candidate()
                if child != .none {
                    let wanted = view.name(of: view[child].parent).namespace + name
                    while child != .none, view[child].key != wanted { child = following(child) }
                }
                if !push(child, outer: outer) { return nil }
                continue
            case .childrenNamedAnywhere(let name, let outer):
                var child = candidate()
                while child != .none, view.name(of: child).local != name { child = following(child) }
                if !push(child, outer: outer) { return nil }
                continue
            case .childrenInNamespace(let namespace, let outer):
                var child = candidate()
                while child != .none, view.name(of: child).namespace != namespace { child = following(child) }
                if !push(child, outer: outer) { return nil }
                continue
            case .childrenInInherited(let outer):
                var child = candidate()
                if child != .none {
                    let wanted = view.name(of: view[child].parent).namespace
                    while child != .none, view.name(of: child).namespace != wanted { child = following(child) }
                }
                if !push(child, outer: outer) { return nil }
                continue
            case .childrenAll(let outer):
                if !push(candidate(), outer: outer) { return nil }
                continue

            case .leave(let outer):
                node = view[node].parent
                step = outer
                passes = true
            case .ascend:
                if view[node].parent != .none { node = view[node].parent }
                passes = true

            case .isNamed(let name): passes = view[node].key == name
            case .isNamedInherited(let name):
                passes = view.name(of: node).local == name && isInNamespaceOfParent
            case .isNamedAnywhere(let name): passes = view.name(of: node).local == name
            case .isInNamespace(let namespace): passes = view.name(of: node).namespace == namespace
            case .isInInherited: passes = isInNamespaceOfParent
            case .isNotNamed(let name): passes = view.name(of: node).local != name

            case .hasAttribute(let name): passes = view.attribute(qualified: name, of: node) != nil
            case .attributeEquals(let name, let string):
                passes = attribute(name, equals: program.string(string))
            case .attributeEqualsArgument(let name, let argument):
                passes = attribute(name, equals: arguments[argument])

            case .loadAttribute(let name): passes = load(view.attribute(qualified: name, of: node))
            case .loadResolvedAttribute(let attribute): passes = load(resolve(attribute))
            case .loadNamespace: passes = load(nonEmpty: view.namespace(of: node))
            case .loadName: passes = load(nonEmpty: view.localName(of: node))
            case .loadText: passes = loadText(of: node)
            case .loadField(let form): passes = loadField(form)

            case .drop: passes = true
            case .equals(let string): passes = value.equals(program.string(string))
            case .equalsArgument(let argument): passes = value.equals(arguments[argument])
            case .equalsArgumentIgnoringCase(let argument): passes = valueEqualsIgnoringCase(arguments[argument])
            case .isOneOf(let strings): passes = valueIsOneOf(strings)
            case .hasPrefix(let string): passes = valueHasPrefix(program.string(string))
            case .hasSuffix(let pattern): passes = try valueHasSuffix(pattern)
            case .contains(let pattern): passes = try valueContains(pattern)
            case .matches(let pattern): passes = try valueMatches(pattern)

            case .yieldElement:
                return yield(.element(node))
            case .yieldAttributes:
                return yield(.attributes(node))
            case .yieldString:
                return yield(.string(value))
            case .yieldConverted(let conversion, let isStrict):
                if let converted = ConvertedValue(value, conversion, isStrict: isStrict) {
                    return yield(.converted(converted))
                }
                passes = false
            case .yieldForm(let form):
                if hasForm(form) { return yield(.form(node)) }
                passes = false
            case .yieldFieldDescription(let form):
                if let place = fieldPlace(form) { return yield(.field(form: node, place)) }
                passes = false
            }
            if passes {
                address += 1
            } else if !advance() {
                return nil
            }
        }
    }

    // MARK: The stack

    /// Where a step begins to look: behind its cursor, or at the first child.
    @inline(__always)
    private func candidate() -> NodeIndex {
        isAdvancing ? view[node].next : view[node].firstChild
    }

    @inline(__always)
    private mutating func following(_ child: NodeIndex) -> NodeIndex {
        observer.didVisit(child)
        return view[child].next
    }

    /// Puts the step's cursor on a child; without one, advances the cursor below. False at the program's end.
    @inline(__always)
    private mutating func push(_ child: NodeIndex, outer: Address?) -> Bool {
        if child != .none {
            observer.didVisit(child)
            node = child
            step = Address(rawValue: UInt32(truncatingIfNeeded: address))
            address += 1
            isAdvancing = false
            return true
        }
        if isAdvancing { node = view[node].parent }
        step = outer
        return advance()
    }

    /// Makes the top cursor advance; false when only the context is left.
    @inline(__always)
    private mutating func advance() -> Bool {
        guard let step else {
            isDone = true
            return false
        }
        address = Int(step.rawValue)
        isAdvancing = true
        return true
    }

    /// Hands out a result, and then fails.
    @inline(__always)
    private mutating func yield(_ hit: Hit) -> Hit {
        _ = advance()
        return hit
    }

    /// Rule 3.3, for the context.
    private var isInNamespaceOfParent: Bool {
        let parent = view[node].parent
        return parent == .none || view.name(of: node).namespace == view.name(of: parent).namespace
    }
}
