// Decides which literals each step requires of a stanza's bytes.
//
// Namespaces are never required: a value may hold references, or the stream's header declares the namespace. Negations,
// wildcards, texts and alternatives require nothing.

import FormModel
import XMLTree

/// Walks the steps of a program in the order of their execution.
struct PrefilterCollector {
    private let program: Program
    private var found: [QueryPrefilter.Literal] = []

    init(_ program: Program) {
        self.program = program
    }

    mutating func literals() -> [QueryPrefilter.Literal] {
        for step in program.steps {
            collect(step)
            // A pattern can exceed its limit and end the evaluation with an error. The error has to be reported, so
            // literals of later steps are not required.
            if step.mayFail { break }
        }
        return found
    }

    private mutating func collect(_ step: QueryStep) {
        switch step.action {
        case .element, .load: requireName(of: step)
        case .filter(let test, let source):
            requireName(of: step)
            // The value of a namespace is none of an attribute.
            if source != .namespace { collect(test) }
        case .other(.loadField(let form)), .other(.yieldFieldText(let form)):
            require(form)
            require("value")
        case .other(.yieldForm(let form)), .other(.yieldFieldDescription(let form)): require(form)
        case .anyChild, .anyChildInNamespace, .isNotNamed, .ascend, .other: break
        }
    }

    private mutating func collect(_ test: Instruction) {
        switch test {
        case .equals(let string), .hasPrefix(let string): require(value: string)
        case .equalsArgument(let argument): require(longestTextOf: argument)
        default: break
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

extension QueryStep {
    /// Whether the step can end an evaluation with an error (3.8).
    fileprivate var mayFail: Bool {
        switch action {
        case .filter(.hasSuffix, _), .filter(.contains, _), .filter(.matches, _): true
        default: false
        }
    }
}
