// A property that is a field: the code that reads and writes it, and the mistakes that a macro can see.

import SwiftSyntax
import SwiftSyntaxMacros

/// A stored property with @Field.
struct FieldProperty {
    /// The field's name.
    let name: String
    /// Where it is written.
    let nameNode: Syntax
    private let property: String
    private let nameText: String
    private let labelText: String?
    private let hasValue: Bool

    /// `nil`, with a report, for a declaration that cannot be a field.
    init?(_ variable: VariableDeclSyntax, _ attribute: AttributeSyntax, _ context: some MacroExpansionContext) {
        guard let stored = StoredProperty(variable, as: "a field", id: "field", context) else { return nil }
        let identifier = stored.identifier
        property = identifier.variableText
        hasValue = stored.hasValue
        var written: [String: ExprSyntax] = [:]
        if case .argumentList(let list)? = attribute.arguments {
            for argument in list where !argument.expression.is(NilLiteralExprSyntax.self) {
                written[argument.label?.text ?? "name"] = argument.expression
            }
        }
        for expression in written.values where expression.stringValue == nil {
            context.report("field", "expected a string literal", at: expression)
            return nil
        }
        name = written["name"]?.stringValue ?? identifier.plainText
        nameNode = written["name"].map { Syntax($0) } ?? Syntax(identifier)
        nameText = written["name"]?.trimmedDescription ?? "\"\(identifier.plainText)\""
        labelText = written["label"]?.trimmedDescription
        if name.isEmpty || name == "FORM_TYPE" {
            let problem = name.isEmpty ? "a field needs a name" : "FORM_TYPE is the argument of @DataForm"
            context.report("field", problem, at: nameNode)
            return nil
        }
        if let type = stored.binding.typeAnnotation?.type, !FieldType.check(type, context) { return nil }
        if !stored.checkConstant(source: "form", id: "field", context) { return nil }
    }

    /// The statement that reads the field. The compiler knows what a macro does not: whether the type is an optional
    /// or an array, which may have an alias.
    var reading: String {
        let other = hasValue ? ", default: self.\(property)" : ""
        return "self.\(property) = try fields._property(\(nameText)\(other))"
    }

    /// The statement that writes it.
    var writing: String {
        let label = labelText.map { ", label: \($0)" } ?? ""
        let other = hasValue ? ", hasDefault: true" : ""
        return "try form._setProperty(self.\(property), for: \(nameText)\(label)\(other))"
    }

    /// Reports a stored property that has neither `@Field` nor a value.
    static func checkOther(_ variable: VariableDeclSyntax, _ context: some MacroExpansionContext) -> Bool {
        StoredProperty.checkOther(
            variable, "is not a field and has no value: add '@Field', or give it a value", mark: "Field", context)
    }
}
