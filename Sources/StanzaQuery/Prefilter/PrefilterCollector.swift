// Decides which literals each instruction requires of a stanza's bytes.
//
// Namespaces are never required: a value may hold references, or the stream's header declares the namespace. Negations,
// wildcards, texts and alternatives require nothing.

import FormModel
import QuerySyntax
import XMLTree

/// Walks a program in the order of its execution.
struct PrefilterCollector {
    private let program: Program
    private let names: LocalNames
    private var found: [QueryPrefilter.Literal] = []
    /// Whether the value on the stack is an attribute's.
    private var hasAttributeValue = false

    init(_ program: Program, names: LocalNames) {
        self.program = program
        self.names = names
    }

    mutating func literals() -> [QueryPrefilter.Literal] {
        for instruction in program.listing {
            collect(instruction)
            // A pattern can exceed its limit and end the evaluation with an error. The error has to be reported, so
            // literals of later instructions are not required.
            if instruction.mayFail { break }
        }
        return found
    }

    private mutating func collect(_ instruction: Instruction) {
        switch instruction {
        case .childrenNamed(let key, _), .childrenNamedInherited(let key, _), .childrenNamedAnywhere(let key, _),
            .isNamed(let key), .isNamedInherited(let key), .isNamedAnywhere(let key), .hasAttribute(let key):
            require(key)
        case .attributeEquals(let key, let string):
            require(key)
            require(value: string)
        case .attributeEqualsArgument(let key, let argument):
            require(key)
            require(longestTextOf: argument)
        case .loadAttribute(let key):
            require(key)
            hasAttributeValue = true
        case .loadResolvedAttribute(let index):
            switch program.attributes[Int(index.rawValue)] {
            case .expanded(let key): require(key)
            // The stanza may have another prefix.
            case .prefixed(_, _, let local): require(local)
            }
            hasAttributeValue = true
        case .equals(let string), .hasPrefix(let string):
            if hasAttributeValue { require(value: string) }
        case .equalsArgument(let argument):
            if hasAttributeValue { require(longestTextOf: argument) }
        case .loadField(let form), .yieldFieldText(let form):
            require(form)
            require("value")
        case .yieldForm(let form), .yieldFieldDescription(let form): require(form)
        case .loadNamespace, .loadName, .loadText: hasAttributeValue = false
        case .childrenInNamespace, .childrenInInherited, .childrenAll, .leave, .ascend, .isInNamespace, .isInInherited,
            .isNotNamed, .drop, .equalsIgnoringCase, .equalsArgumentIgnoringCase, .isOneOf, .hasSuffix, .contains,
            .matches, .yieldElement, .yieldAttributes, .yieldString, .yieldText, .yieldConvertedText, .yieldConverted:
            break
        }
    }

    // MARK: Requirements

    /// Requires a name of the query. A name that was bound to a slot is not in its text, and is not required.
    private mutating func require(_ key: NameKey) {
        if let name = names[key] { require(name) }
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
    /// Whether the instruction can end an evaluation with an error (3.8).
    fileprivate var mayFail: Bool {
        switch self {
        case .hasSuffix, .contains, .matches: true
        default: false
        }
    }
}

/// The local names of a query by their keys: programs hold names as keys only.
struct LocalNames {
    private var names: [NameKey: String] = [:]

    init(_ tree: QueryTree) {
        for segment in tree.segments {
            if case .elements(let test) = segment.step, case .named(let name) = test.name {
                names[test.key] = name
            }
            for filter in segment.filters { collect(filter.attribute) }
        }
        if case .attribute(let name)? = tree.extraction { collect(name) }
    }

    subscript(_ key: NameKey) -> String? { names[key] }

    private mutating func collect(_ attribute: AttributeName) {
        switch attribute {
        case .qualified(let name):
            // The same keys as those of `AttributeSource`.
            switch AttributeSource(attribute) {
            case .plain(let key): names[key] = name
            case .resolved(.prefixed(_, _, let local)):
                names[local] = name.utf8.firstIndex(of: UInt8(ascii: ":")).map { colon in
                    String(name[name.utf8.index(after: colon)...])
                }
            case .resolved(.expanded), .namespace, nil: break
            }
        case .expanded(let namespace, let name):
            names[NameKey(.namespace, namespace) + NameKey(.local, name)] = name
        case .slotted: break
        }
    }
}
