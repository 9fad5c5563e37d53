// Decides which literals each instruction requires of a stanza's bytes.
//
// Namespaces are never required: a value may hold references, or the stream's header declares the namespace. Negations,
// wildcards, texts and alternatives require nothing.

import FormModel
import StanzaQuery

/// Walks the instructions of a program in the order of their execution.
struct PrefilterCollector {
    private let program: Program
    private var found: [QueryPrefilter.Literal] = []

    init(_ program: Program) {
        self.program = program
    }

    mutating func literals() -> [QueryPrefilter.Literal] {
        var isNamespace = false
        for (instruction, place) in zip(program.listing, program.stepOfEachInstruction) {
            collect(instruction, of: program.steps[place], isNamespace: isNamespace)
            isNamespace = instruction == .loadNamespace
            // A pattern can exceed its limit and end the evaluation with an error (3.8). The error has to be reported,
            // so literals of later steps are not required.
            if instruction.mayFail { break }
        }
        return found
    }

    /// - Parameter isNamespace: Whether the instruction tests the value of a namespace, which is none of an attribute.
    private mutating func collect(_ instruction: Instruction, of step: QueryStep, isNamespace: Bool) {
        switch instruction {
        case .isNotNamed: break
        case .loadField(let form), .yieldFieldText(let form):
            require(form)
            require("value")
        case .yieldForm(let form), .yieldFieldDescription(let form): require(form)
        case .equals(let text), .hasPrefix(let text): if !isNamespace { require(value: text) }
        case .equalsArgument(let argument): if !isNamespace { require(longestTextOf: argument) }
        case .attributeEquals(_, let text):
            requireName(of: step)
            require(value: text)
        case .attributeEqualsArgument(_, let argument):
            requireName(of: step)
            require(longestTextOf: argument)
        case .drop, .equalsIgnoringCase, .equalsArgumentIgnoringCase, .isOneOf, .hasSuffix, .contains, .matches: break
        default: requireName(of: step)
        }
    }

    // MARK: Requirements

    /// Requires the local name of a step. A name that was bound to a slot is not in the query's text, and is not
    /// required.
    private mutating func requireName(of step: QueryStep) {
        // The stanza may have another prefix.
        require(program.localName(of: step))
    }

    private mutating func require(_ name: String) {
        if !name.isEmpty { found.append(.name(name)) }
    }

    private mutating func require(value string: StringIndex) {
        let value = String(decoding: program.string(string), as: UTF8.self)
        // A parser reads a tab or a line end as a space (XML 1.0, section 3.3.3).
        guard !value.isEmpty, value.utf8.allSatisfy({ $0 > UInt8(ascii: " ") }) else { return }
        found.append(.value(value))
    }

    /// Requires the longest text between the specifiers of a filter's value.
    private mutating func require(longestTextOf argument: ArgumentIndex) {
        let texts = program.values[Int(argument.rawValue)].compactMap { step -> StringIndex? in
            if case .text(let text) = step { text } else { nil }
        }
        if let longest = texts.max(by: { program.string($0).count < program.string($1).count }) {
            require(value: longest)
        }
    }

    /// Requires a form, with the parts that its query tests (5.2 to 5.5).
    private mutating func require(_ index: FormIndex) {
        let form = program.forms[Int(index.rawValue)]
        require("x")
        if let type = form.type {
            require("type")
            require(value: type)
        }
        if form.item != nil { require("item") }
        if form.field != nil || form.formType != nil {
            require("field")
            require("var")
        }
        if let field = form.field { require(value: field) }
        if form.formType != nil {
            require("value")
            found.append(.value("\(FormNames.formTypeField)"))
        }
    }
}

extension Instruction {
    /// Whether it can end an evaluation with an error.
    fileprivate var mayFail: Bool {
        switch self {
        case .hasSuffix, .contains, .matches: true
        default: false
        }
    }
}
