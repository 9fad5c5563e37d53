// Decides which literals each step requires of a stanza's bytes.
//
// Namespaces are never required: a value may hold references, or the stream's header declares the namespace. Negations,
// wildcards, texts and alternatives require nothing.

import FormModel
import StanzaQuery
import XMLTree

/// Walks the steps of a program in the order of their execution.
struct PrefilterCollector {
    private let program: Program
    private var found: [QueryPrefilter.Literal] = []

    init(_ program: Program) {
        self.program = program
    }

    mutating func literals() -> [QueryPrefilter.Literal] {
        for (index, step) in program.steps.enumerated() {
            collect(step, at: index)
            // A pattern can exceed its limit and end the evaluation with an error. The error has to be reported, so
            // literals of later steps are not required.
            if step.mayFail { break }
        }
        return found
    }

    private mutating func collect(_ step: Step, at index: Int) {
        switch step.op {
        case .child, .own:
            switch step.test {
            case .name, .inherited, .anywhere: requireName(at: index)
            case .namespace, .inheritedNamespace, .any: break
            }
        case .filter:
            // The value of a namespace is none of an attribute.
            if step.source == .namespace { return }
            requireName(at: index)
            switch step.condition {
            case _ where step.ignoresCase: break
            case .equals where step.takesArgument: require(longestTextOf: Int(step.operand))
            case .equals, .hasPrefix: require(value: program.string(of: step))
            case .exists, .isOneOf, .hasSuffix, .contains, .matches: break
            }
        case .yield:
            switch step.result {
            case .attribute: if step.source != .namespace { requireName(at: index) }
            case .field:
                require(program.form(of: step))
                require("value")
            case .form, .description: require(program.form(of: step))
            default: break
            }
        case .not, .leave, .ascend: break
        }
    }

    // MARK: Requirements

    /// Requires the local name of a step. A name that was bound to a slot is not in the query's text, and is not
    /// required.
    private mutating func requireName(at index: Int) {
        // The stanza may have another prefix.
        if let name = program.name(of: index) { require(name.local) }
    }

    private mutating func require(_ name: String) {
        if !name.isEmpty { found.append(.name(name)) }
    }

    private mutating func require(value string: UnsafeBufferPointer<UInt8>) {
        let value = String(decoding: string, as: UTF8.self)
        // A parser reads a tab or a line end as a space (XML 1.0, section 3.3.3).
        guard !value.isEmpty, value.utf8.allSatisfy({ $0 > UInt8(ascii: " ") }) else { return }
        found.append(.value(value))
    }

    /// Requires the longest text between the specifiers of a filter's value.
    private mutating func require(longestTextOf number: Int) {
        let texts = program.valueList[number].compactMap { piece in
            if case .text(let text) = piece { program.string(text) } else { nil }
        }
        if let longest = texts.max(by: { $0.count < $1.count }) { require(value: longest) }
    }

    /// Requires a form, with the parts that its query tests (5.2 to 5.5).
    private mutating func require(_ form: FormConstant) {
        require("x")
        if let type = form.type {
            require("type")
            require(value: program.string(type))
        }
        if form.item != nil { require("item") }
        if form.field != nil || form.formType != nil {
            require("field")
            require("var")
        }
        if let field = form.field { require(value: program.string(field)) }
        if form.formType != nil {
            require("value")
            found.append(.value("\(FormNames.formTypeField)"))
        }
    }
}
