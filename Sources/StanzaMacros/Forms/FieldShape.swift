// How many values a field has, by the type of its property as written.

import SwiftSyntax
import SwiftSyntaxMacros

/// The number of values that a property holds of its field.
enum FieldShape {
    case value, optional, array, optionalArray

    var isOptional: Bool { self == .optional || self == .optionalArray }

    /// `nil`, with a report, for types that no field has. Which others have the values of fields the compiler finds
    /// out.
    init?(_ binding: PatternBindingSyntax, _ context: some MacroExpansionContext) {
        guard let type = binding.typeAnnotation?.type else {
            // `[1]` and `[Int]()`.
            let value = binding.initializer?.value
            let callee = value?.as(FunctionCallExprSyntax.self)?.calledExpression
            self = (callee ?? value)?.is(ArrayExprSyntax.self) == true ? .array : .value
            return
        }
        if let inner = type.optionalType {
            if let element = inner.arrayElement {
                self = .optionalArray
                if !Self.check(element, context) { return nil }
            } else {
                self = .optional
                if !Self.check(inner, context) { return nil }
            }
        } else if let element = type.arrayElement {
            self = .array
            if !Self.check(element, context) { return nil }
        } else {
            self = .value
            if !Self.check(type, context) { return nil }
        }
    }

    /// Reports types that a field cannot have.
    private static func check(_ type: TypeSyntax, _ context: some MacroExpansionContext) -> Bool {
        let isPlain =
            (type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self))
            && type.optionalType == nil && type.arrayElement == nil && !isCollection(type)
        if !isPlain {
            context.report(
                "type",
                """
                no field has values of type '\(type.trimmedDescription)': use a type that conforms to 'FieldValue', an \
                optional of it, or an array of it
                """, at: type)
        }
        return isPlain
    }

    private static func isCollection(_ type: TypeSyntax) -> Bool {
        ["Set", "Dictionary", "Any", "AnyObject"].contains(type.as(IdentifierTypeSyntax.self)?.name.text)
    }
}

extension TypeSyntax {
    /// `T` of `T?` and `Optional<T>`.
    var optionalType: TypeSyntax? {
        self.as(OptionalTypeSyntax.self)?.wrappedType ?? argument(of: "Optional")
    }

    /// `T` of `[T]` and `Array<T>`.
    fileprivate var arrayElement: TypeSyntax? {
        self.as(ArrayTypeSyntax.self)?.element ?? argument(of: "Array")
    }

    private func argument(of name: String) -> TypeSyntax? {
        guard let type = self.as(IdentifierTypeSyntax.self), type.name.text == name,
            let argument = type.genericArgumentClause?.arguments.first?.argument
        else { return nil }
        // A type in older versions of swift-syntax, a type or a value in newer ones.
        return Syntax(argument).as(TypeSyntax.self)
    }
}
