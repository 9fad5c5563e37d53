// The types that a field can have, as far as they are written.

import SwiftSyntax
import SwiftSyntaxMacros

enum FieldType {
    /// Reports types that no field has. Which others have the values of fields the compiler finds out.
    static func check(_ type: TypeSyntax, _ context: some MacroExpansionContext) -> Bool {
        let value = type.optionalType ?? type
        return checkValue(value.arrayElement ?? value, context)
    }

    /// Reports types that a single value of a field cannot have.
    private static func checkValue(_ type: TypeSyntax, _ context: some MacroExpansionContext) -> Bool {
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
    /// `T` of `T?`, `Optional<T>` and `Swift.Optional<T>`.
    var optionalType: TypeSyntax? {
        self.as(OptionalTypeSyntax.self)?.wrappedType ?? argument(of: "Optional")
    }

    /// `T` of `[T]`, `Array<T>` and `Swift.Array<T>`.
    var arrayElement: TypeSyntax? {
        self.as(ArrayTypeSyntax.self)?.element ?? argument(of: "Array")
    }

    private func argument(of name: String) -> TypeSyntax? {
        let plain = self.as(IdentifierTypeSyntax.self)
        let member = self.as(MemberTypeSyntax.self)
        let isOfSwift = member?.baseType.trimmedDescription == "Swift"
        guard plain?.name.text == name || isOfSwift && member?.name.text == name,
            let arguments = plain?.genericArgumentClause ?? member?.genericArgumentClause,
            let argument = arguments.arguments.first?.argument
        else { return nil }
        // A type in older versions of swift-syntax, a type or a value in newer ones.
        return Syntax(argument).as(TypeSyntax.self)
    }
}
