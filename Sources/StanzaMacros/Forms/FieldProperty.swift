// A property that is a field: the code that reads and writes it, and the mistakes that a macro can see.

import SwiftDiagnostics
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
        guard let binding = Self.binding(of: variable, context),
            let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        else { return nil }
        property = identifier.variableText
        hasValue = binding.initializer != nil
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
        if let type = binding.typeAnnotation?.type, !FieldType.check(type, context) { return nil }
        if variable.bindingSpecifier.tokenKind == .keyword(.let), hasValue {
            let fix = variable.with(\.bindingSpecifier.tokenKind, .keyword(.var))
            context.report(
                "field",
                "'\(identifier.plainText)': a constant that has a value cannot get that of the form: write 'var'",
                at: variable.bindingSpecifier, fixIts: [.replacing(variable, by: fix, "write 'var'")])
            return nil
        }
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

    /// The one stored property that a declaration declares.
    private static func binding(
        of variable: VariableDeclSyntax, _ context: some MacroExpansionContext
    ) -> PatternBindingSyntax? {
        guard variable.bindings.count == 1, let binding = variable.bindings.first,
            binding.pattern.is(IdentifierPatternSyntax.self)
        else {
            context.report("field", "a field needs a declaration of its own", at: variable.bindings)
            return nil
        }
        let isOfType = variable.modifiers.contains(.static) || variable.modifiers.contains(.lazy)
        if isOfType || !binding.isStored {
            context.report("field", "a field is a stored property of the instance", at: binding.pattern)
            return nil
        }
        return binding
    }

    /// Reports a stored property that has neither `@Field` nor a value.
    static func checkOther(_ variable: VariableDeclSyntax, _ context: some MacroExpansionContext) -> Bool {
        if variable.modifiers.contains(.static) || variable.modifiers.contains(.lazy) { return true }
        let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
        for binding in variable.bindings where binding.isStored && binding.initializer == nil {
            let type = binding.typeAnnotation?.type
            if isVariable, type?.optionalType != nil || type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true {
                continue
            }
            var fix = variable.trimmed
            fix.attributes.insert(
                .attribute(AttributeSyntax(TypeSyntax("Field")).with(\.trailingTrivia, .space)),
                at: fix.attributes.startIndex)
            context.report(
                "other",
                "'\(binding.pattern.trimmedDescription)' is not a field and has no value: add '@Field', or give it a value",
                at: binding.pattern,
                fixIts: variable.bindings.count == 1 ? [.replacing(variable, by: fix, "add '@Field'")] : [])
            return false
        }
        return true
    }
}

extension FixIt {
    fileprivate static func replacing(_ old: some SyntaxProtocol, by new: some SyntaxProtocol, _ message: String)
        -> FixIt
    {
        FixIt(
            message: MacroMessage(message: message, id: "fix"),
            changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}

extension PatternBindingSyntax {
    /// Whether it has storage: no accessors but observers.
    fileprivate var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let list):
            list.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
        }
    }
}

extension ExprSyntax {
    fileprivate var stringValue: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}
