// The fast path on frozen trees, for evaluations without arguments, without errors and without retained objects: most
// evaluations end at the first step, without a child of that name, or an attribute of that value.
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

/// The first step of a program, in a form that runs without a machine, and what follows from it.
struct Opening: Sendable {
    /// The step, in the order of the opcodes.
    enum Question: UInt8 {
        case child, inheritedChild, name, attribute, attributeValue
        /// Another step: everything passes.
        case none
    }

    let question: Question
    /// Whether an element that passes has a result.
    let isDecisive: Bool
    /// Whether a machine can continue after the step.
    let isWholeStep: Bool
    /// Whether an element that passes, and has text, has a result.
    let isDecisiveWithText: Bool
    /// The number of arguments if the query takes arguments of any type; otherwise -1, and the evaluation has to check
    /// the arguments first.
    let argumentCount: Int
    private let key: NameKey
    private let string: ByteReference

    /// That of a program whose evaluations fail.
    init() {
        (question, argumentCount) = (.none, -1)
        (isDecisive, isWholeStep, isDecisiveWithText) = (false, false, false)
        (key, string) = (.unbound, .empty)
    }

    init(_ code: UnsafePointer<Step>, argumentCount: Int) {
        self.argumentCount = argumentCount
        let step = code[0]
        key = step.key
        string = ByteReference(rawValue: step.operand)
        // A yield is the last step.
        let next = step.op == .yield ? step : code[1]
        var isDecisive = next.op == .yield && (next.result == .element || next.result == .attributes)
        var isWholeStep = true
        switch step.op {
        case .child where step.test == .name: question = .child
        case .child where step.test == .inherited: question = .inheritedChild
        case .own where step.test == .name: question = .name
        case .filter where step.isPlain && step.condition == .exists: question = .attribute
        case .filter where step.isPlain && step.condition == .equals: question = .attributeValue
        case .filter where step.source == .plain:
            question = .attribute
            (isDecisive, isWholeStep) = (false, false)
        case .yield where step.result == .attribute && step.isPlain:
            question = .attribute
            (isDecisive, isWholeStep) = (step.conversion == nil, false)
        default:
            question = .none
            (isDecisive, isWholeStep) = (false, false)
        }
        self.isDecisive = isDecisive
        self.isWholeStep = isWholeStep
        isDecisiveWithText = isWholeStep && next.op == .yield && next.result == .text && next.conversion == nil
    }

    /// Where a machine continues if the element passes; `none` if it has no result. Not for the value of an attribute.
    @inline(__always)
    func run(_ view: TreeView, at context: NodeIndex) -> NodeIndex {
        let observer = NoObserver()
        // The most frequent test needs no lookup in a table.
        if _fastPath(question == .child) { return view.firstNamed(key, from: view[context].firstChild, observer) }
        switch question {
        case .child:
            return view.firstNamed(key, from: view[context].firstChild, observer)
        case .inheritedChild:
            return view.firstNamedInherited(key, from: view[context].firstChild, observer)
        case .name:
            return view[context].key == key ? context : .none
        case .attribute:
            return view.attribute(qualified: key, of: context) != nil ? context : .none
        case .attributeValue, .none:
            return context
        }
    }

    /// Whether the element has the requested attribute and value.
    @inline(__always)
    func hasAttributeValue(_ view: TreeView, at context: NodeIndex, _ strings: UnsafePointer<UInt8>) -> Bool {
        guard let value = view.attribute(qualified: key, of: context) else { return false }
        return view.string(value).equals(strings.string(at: string))
    }

    /// Whether the step pushes a cursor.
    var isChild: Bool { question.rawValue <= Question.inheritedChild.rawValue }
}

extension Program {
    /// Whether a query without arguments has a result. It calls only the machine.
    @usableFromInline @inline(never) @_effects(releasenone)
    func fastCheck(on element: Element) -> Bool? {
        if opening.argumentCount != 0 { return nil }
        if _slowPath(opening.question == .attributeValue) { return checkAttributeValue(element) }
        let node = opening.run(element.view, at: element.index)
        if node == .none { return false }
        if opening.isDecisive { return true }
        return Self.runMachine(.passUnretained(self), .passUnretained(element.tree), node)
    }

    /// Whether the first step rules out a result, for any arguments.
    @usableFromInline @inline(never) @_effects(releasenone)
    func rulesOut(_ element: Element, argumentCount: Int) -> Bool {
        if opening.argumentCount != argumentCount { return false }
        if opening.question == .attributeValue { return !hasAttributeValue(element) }
        return opening.run(element.view, at: element.index) == .none
    }

    // A comparison of bytes takes registers, and saving them would slow down all other questions.

    @inline(never) @_effects(releasenone)
    private func checkAttributeValue(_ element: Element) -> Bool? {
        if !opening.hasAttributeValue(element.view, at: element.index, strings) { return false }
        if opening.isDecisive { return true }
        return Self.runMachine(.passUnretained(self), .passUnretained(element.tree), element.index)
    }

    @inline(never) @_effects(releasenone)
    private func hasAttributeValue(_ element: Element) -> Bool {
        opening.hasAttributeValue(element.view, at: element.index, strings)
    }

    /// Continues after the first step.
    @inline(never) @_effects(releasenone)
    private static func runMachine(_ program: Unmanaged<Program>, _ tree: Unmanaged<Tree>, _ node: NodeIndex) -> Bool? {
        let (opening, usesPrefixes) = program._withUnsafeGuaranteedRef { ($0.opening, $0.usesPrefixes) }
        if usesPrefixes { return nil }
        let view = tree._withUnsafeGuaranteedRef { $0.view }
        if opening.isDecisiveWithText, view.hasText(node) { return true }
        let input = MachineInput(program, view: view, bindings: nil, arguments: .none)
        var machine =
            opening.isWholeStep
            ? Machine(input, behindFirst: node, isChild: opening.isChild, observer: NoObserver())
            : Machine(input, context: node, observer: NoObserver())
        do {
            return try machine.run() != nil
        } catch {
            return nil
        }
    }
}
