// The first instruction of a program, in a form that runs without a machine.
//
// Most evaluations end there: without a child of that name, or an attribute of that value. FastEvaluation.swift decides
// how the evaluation continues.

import XMLTree

/// A test that an element has to pass to have a result.
struct Probe: Sendable {
    /// The kinds of tests, in the order of the instructions that they come from.
    enum Question: UInt8 {
        case child, childInherited, name, attribute, attributeValue
        /// The first instruction is another one: everything passes.
        case none
    }

    let question: Question
    /// Whether an element that passes has a result; the first one is `node` of the outcome, if results are elements.
    let isDecisive: Bool
    /// Whether a machine can continue after the first instruction.
    let isWholeInstruction: Bool
    /// The number of arguments if the query takes arguments of any type; otherwise -1, and the evaluation has to check
    /// the arguments first.
    let argumentCount: Int
    private let key: NameKey
    private let string: StringIndex

    init(_ program: Program) {
        let instructions = program.listing
        let second = instructions.count > 1 ? instructions[1] : nil
        var isDecisive = second == .yieldElement || second == .yieldAttributes
        var isWholeInstruction = true
        var string = StringIndex(rawValue: 0)
        switch instructions[0] {
        case .childrenNamed(let name, _): (question, key) = (.child, name)
        case .childrenNamedInherited(let name, _): (question, key) = (.childInherited, name)
        case .isNamed(let name): (question, key) = (.name, name)
        case .hasAttribute(let name): (question, key) = (.attribute, name)
        case .attributeEquals(let name, let value):
            (question, key) = (.attributeValue, name)
            string = value
        case .attributeEqualsArgument(let name, _):
            (question, key) = (.attribute, name)
            (isDecisive, isWholeInstruction) = (false, false)
        case .loadAttribute(let name):
            (question, key) = (.attribute, name)
            (isDecisive, isWholeInstruction) = (second == .yieldString, false)
        default:
            (question, key) = (.none, NameKey(rawValue: 0))
            (isDecisive, isWholeInstruction) = (false, false)
        }
        self.isDecisive = isDecisive
        self.isWholeInstruction = isWholeInstruction
        self.string = string
        argumentCount = program.takesAnyArguments ? program.argumentCount : -1
    }

    /// Where a machine continues if the element passes; `none` if it has no result. Not for the value of an attribute.
    @inline(__always)
    func run(_ view: TreeView, at context: NodeIndex) -> NodeIndex {
        let observer = NoObserver()
        // The most frequent test needs no lookup in a table.
        if _fastPath(question == .child) {
            return view.firstNamed(key, from: view[context].firstChild, observer)
        }
        switch question {
        case .child:
            return view.firstNamed(key, from: view[context].firstChild, observer)
        case .childInherited:
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
    func hasAttributeValue(_ view: TreeView, at context: NodeIndex, _ program: Program) -> Bool {
        view.attribute(key, of: context, equals: program.string(string))
    }

    /// Whether the first instruction pushed a cursor.
    var isStep: Bool { question.rawValue <= Question.childInherited.rawValue }
}
