// A property that is a member of a payload: the code that reads and writes it, and the mistakes that a macro can see.
//
// The compiler knows whether the type is an optional or an array, and a macro does not. So the code is the same for all
// types, and the functions of PayloadReader and PayloadWriter have forms for each.

import SwiftSyntax
import SwiftSyntaxMacros

/// A stored property with a mark.
struct PayloadMember {
    /// The marks, by the names of their macros.
    enum Kind: String, CaseIterable {
        case attribute = "Attribute"
        case text = "Text"
        case child = "Child"
        case flag = "Flag"
        case form = "Form"
        case rest = "Rest"
        case query = "Query"
    }

    let kind: Kind
    /// The content that the member reads, in words, if no other member may read it.
    private(set) var identity: String?
    /// Where the identity is written.
    let place: Syntax
    /// The name of the attribute that it reads, as a literal.
    private(set) var attribute: String?
    /// The child elements that it reads, as an expression.
    private(set) var known: String?
    /// The reader of its wrapper, and the child elements that it reads there.
    private(set) var wrapped: (reader: String, known: String)?
    /// The statement that writes it.
    private(set) var writing: String?
    private var read = ""
    private let property: String

    /// `nil`, with a report, for a declaration that cannot be a member.
    init?(_ variable: VariableDeclSyntax, _ context: some MacroExpansionContext) {
        let marks = variable.payloadMarks
        guard let mark = marks.first, let stored = StoredProperty(variable, as: "a member", id: "member", context)
        else { return nil }
        if marks.count > 1 {
            context.report("member", "one mark is enough: remove the others", at: marks[1].attribute)
            return nil
        }
        guard stored.checkConstant(source: "element", id: "member", context),
            let arguments = MarkArguments(mark.attribute, stored, context)
        else { return nil }
        kind = mark.kind
        property = "self.\(stored.identifier.variableText)"
        place = arguments.name.map { Syntax($0.expression) } ?? Syntax(stored.identifier)
        let type = MemberType(stored, context)
        guard type.check(kind, arguments) else { return nil }
        let fallback = stored.hasValue ? "default: \(property)" : nil
        let name = arguments.literal
        switch kind {
        case .attribute:
            identity = "the attribute '\(arguments.text)'"
            attribute = name
            read = "try reader.attribute(\(list(name, fallback)))"
            writing = "try writer.attribute(\(name), \(property))"
        case .text:
            identity = "the text of the element"
            read = "try reader.text(\(list(fallback)))"
            writing = "try writer.text(\(property))"
        case .child:
            let wrapper = arguments.others["in"].map { ".within(\($0.trimmedDescription))" } ?? ""
            let attribute = arguments.others["attribute"].map { "attribute: \($0.trimmedDescription)" }
            let written = arguments.name == nil ? nil : name
            if written != nil || type.core != nil {
                let content =
                    written == nil ? "the payload '\(type.core ?? "")'" : "the child element '\(arguments.text)'"
                identity = content + (arguments.others["in"]?.stringValue.map { " in '\($0)'" } ?? "")
            }
            known = "reader\(wrapper)._known(\(written ?? "as: \(property)"))"
            if let outer = arguments.others["in"], let inner = known {
                wrapped = ("reader\(wrapper)", inner)
                known = "reader._known(\(outer.trimmedDescription))"
            }
            read = "try reader\(wrapper).child(\(list(written, attribute, fallback)))"
            writing = "try writer\(wrapper).child(\(list(written, attribute, property)))"
        case .flag:
            identity = "the child element '\(arguments.text)'"
            known = "reader._known(\(name))"
            read = "reader.flag(\(name))"
            writing = "writer.flag(\(name), \(property))"
        case .form:
            identity = type.core.map { "the form '\($0)'" }
            known = "reader._known(\"{jabber:x:data}x\")"
            read = "try reader.form(\(list(fallback)))"
            writing = "try writer.form(\(list(property, arguments.form.map { "as: \($0)" })))"
        case .rest:
            identity = "the rest"
            writing = "writer.rest(\(property))"
        case .query:
            guard let expression = arguments.query, let query = type.query(expression, arguments.others["options"])
            else { return nil }
            read = "try reader._query(\(query))"
        }
    }

    /// The statement that reads it.
    func reading(known: String) -> String {
        "\(property) = " + (kind == .rest ? "try reader._rest(except: \(known))" : read)
    }

    private func list(_ arguments: String?...) -> String { arguments.compactMap { $0 }.joined(separator: ", ") }
}

/// The arguments of a mark.
private struct MarkArguments {
    /// The name, if it is written.
    private(set) var name: (text: String, expression: ExprSyntax)?
    /// The arguments with labels.
    private(set) var others: [String: ExprSyntax] = [:]
    /// The text of `@Query`.
    private(set) var query: ExprSyntax?
    /// The kind of `@Form`.
    private(set) var form: String?
    private let property: String

    /// The name: that of the property if none is written.
    var text: String { name?.text ?? property }
    var literal: String { name?.expression.trimmedDescription ?? "\"\(property)\"" }

    /// `nil`, with a report, for names that are not literals, and for wrong names.
    init?(_ node: AttributeSyntax, _ stored: StoredProperty, _ context: some MacroExpansionContext) {
        property = stored.identifier.plainText
        guard case .argumentList(let list)? = node.arguments else {
            if let problem = WrittenName(property).problem, ["Attribute", "Flag"].contains(node.plainName) {
                context.report("name", problem, at: stored.identifier)
                return nil
            }
            return
        }
        for argument in list where !argument.expression.is(NilLiteralExprSyntax.self) {
            let label = argument.label?.text
            if node.plainName == "Form" {
                form = argument.expression.trimmedDescription
            } else if node.plainName == "Query" {
                if let label { others[label] = argument.expression } else { query = argument.expression }
            } else {
                guard let text = argument.expression.stringValue else {
                    context.report("member", "expected a string literal", at: argument.expression)
                    return nil
                }
                if let problem = WrittenName(text).problem {
                    context.report("name", problem, at: argument.expression)
                    return nil
                }
                if let label { others[label] = argument.expression } else { name = (text, argument.expression) }
            }
        }
    }
}

extension AttributeSyntax {
    /// The macro's name without its module.
    var plainName: String {
        attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.as(MemberTypeSyntax.self)?.name.text
            ?? ""
    }
}

/// The type of a member, as far as it is written.
private struct MemberType<Context: MacroExpansionContext> {
    private let stored: StoredProperty
    private let context: Context
    private let written: TypeSyntax?
    private let isOptional: Bool
    private let isArray: Bool
    /// The type of one value.
    private let value: TypeSyntax?
    /// Its name.
    var core: String? { value?.trimmedDescription }

    init(_ stored: StoredProperty, _ context: Context) {
        (self.stored, self.context) = (stored, context)
        written = stored.binding.typeAnnotation?.type
        let inner = written?.optionalType ?? written
        isOptional = written?.optionalType != nil
        isArray = inner?.arrayElement != nil
        value = inner?.arrayElement ?? inner
    }

    /// Reports a type that the mark cannot have.
    func check(_ kind: PayloadMember.Kind, _ arguments: MarkArguments) -> Bool {
        let name = written?.trimmedDescription ?? ""
        if let value,
            value.optionalType != nil || !value.is(IdentifierTypeSyntax.self) && !value.is(MemberTypeSyntax.self)
        {
            return report("no member has values of type '\(value.trimmedDescription)'")
        }
        if isArray, isOptional { return report("an array is empty without elements: write '[\(core ?? "")]'") }
        switch kind {
        case .attribute, .text:
            let noun = kind == .text ? "a text" : "an attribute"
            return isArray ? report("\(noun) has one value: '\(name)' has several") : true
        case .flag:
            let isBool = written.map { ["Bool", "Swift.Bool"].contains($0.trimmedDescription) } ?? true
            return isBool ? true : report("a flag is a 'Bool': the child element exists, or it does not")
        case .child: return checkChild(arguments)
        case .form: return true
        case .rest:
            let isElement = core.map { ["Element", "XMLTree.Element"].contains($0) } ?? true
            return isElement ? true : report("the rest is '[Element]', 'Element?' or 'Element'")
        case .query:
            return isArray || isOptional
                ? true : report("a query may find nothing: write '\(name)?' or '[\(name)]'")
        }
    }

    private func checkChild(_ arguments: MarkArguments) -> Bool {
        guard arguments.name == nil else { return true }
        if let attribute = arguments.others["attribute"] {
            context.report("member", "the attribute of which child element? Write its name first", at: attribute)
            return false
        }
        let values = [
            "String", "Bool", "Int", "UInt", "Double", "Date", "Data", "UUID", "URL", "JID", "LocalizedText", "Element",
        ]
        guard let core, values.contains(core) else { return true }
        let repair = "@Child(\"\(arguments.text)\")"
        return report("'\(core)' is not a payload: write the name of the child element, '\(repair)'")
    }

    /// The query as an expression; `nil`, with a report, for mistakes in it.
    func query(_ expression: ExprSyntax, _ options: ExprSyntax?) -> String? {
        guard let query = QueryCheck(expression, options: options, in: context), let core else { return nil }
        if let value = query.literal.values.first {
            context.report("query", "there is nothing to interpolate here", at: value.expression)
            return nil
        }
        if query.result.differs(from: core) {
            _ = report("the query gives \(query.result.name), not \(core)")
            return nil
        }
        return query.expansion(as: query.result.isNamed(core) ? nil : core).description
    }

    private func report(_ message: String) -> Bool {
        context.report("type", message, at: written.map { Syntax($0) } ?? Syntax(stored.identifier))
        return false
    }
}
