// Decides whether a place in the program can have storage of its own: a type with a static property, which some places
// do not allow.
//
// Generic types and functions cannot have static storage, and an extension may be one of a generic type: a macro sees
// the name of the type only. Code that other modules compile cannot name private declarations, and the compiler does
// not show a property's attributes to a macro in it. At all these places, a table keeps the query, by the address of
// the literal (StanzaQuery/Cache). A closure in the default value of a parameter looks like one in the function, but is
// a part of the interface if the function is public. So in functions with such a value, closures have no storage.

import SwiftSyntax
import SwiftSyntaxMacros

/// The place where a macro is used.
struct CallSite {
    /// Whether the place is among the members of a type or an extension; the members of a protocol are requirements.
    let isInType: Bool
    /// Whether the enclosing type allows a static property here.
    let takesStaticProperties: Bool
    /// Whether a local type with a static property is allowed here.
    let hasStorage: Bool

    init(_ context: some MacroExpansionContext) {
        let surroundings = context.lexicalContext
        isInType =
            surroundings.first.map {
                $0.asProtocol((any DeclGroupSyntax).self) != nil && !$0.is(ProtocolDeclSyntax.self)
            } ?? false
        takesStaticProperties = !surroundings.contains { Self.isGeneric($0) || Self.isInlinable($0) }
        hasStorage = takesStaticProperties && Self.isInFunction(surroundings)
    }

    /// Whether the place is in a function of a type or of the file, and not in a property: that may be inlinable, as
    /// its initial value is in a frozen type, and the compiler does not show properties to macros.
    private static func isInFunction(_ surroundings: [Syntax]) -> Bool {
        let code = surroundings.prefix { $0.asProtocol((any DeclGroupSyntax).self) == nil }
        guard let outermost = code.last else { return false }
        if code.contains(where: { $0.is(ClosureExprSyntax.self) }), hasDefaultClosure(outermost) { return false }
        return outermost.is(FunctionDeclSyntax.self) || outermost.is(InitializerDeclSyntax.self)
            || outermost.is(DeinitializerDeclSyntax.self)
    }

    /// Whether the default value of a parameter has a closure.
    private static func hasDefaultClosure(_ function: Syntax) -> Bool {
        let signature =
            function.as(FunctionDeclSyntax.self)?.signature ?? function.as(InitializerDeclSyntax.self)?.signature
        let values = signature?.parameterClause.parameters.compactMap(\.defaultValue) ?? []
        return values.contains { holdsClosure(Syntax($0)) }
    }

    private static func holdsClosure(_ node: Syntax) -> Bool {
        node.is(ClosureExprSyntax.self) || node.children(viewMode: .sourceAccurate).contains(where: holdsClosure)
    }

    /// An extension counts, because its type may be generic.
    private static func isGeneric(_ node: Syntax) -> Bool {
        if node.is(ExtensionDeclSyntax.self) || node.is(ProtocolDeclSyntax.self) { return true }
        if node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil { return true }
        let signature = node.as(FunctionDeclSyntax.self)?.signature ?? node.as(InitializerDeclSyntax.self)?.signature
        let parameters = signature?.parameterClause ?? node.as(SubscriptDeclSyntax.self)?.parameterClause
        return parameters.map { holdsOpaqueType(Syntax($0)) } ?? false
    }

    /// Whether a parameter is `some P`.
    private static func holdsOpaqueType(_ node: Syntax) -> Bool {
        if node.as(SomeOrAnyTypeSyntax.self)?.someOrAnySpecifier.tokenKind == .keyword(.some) { return true }
        return node.children(viewMode: .sourceAccurate).contains(where: holdsOpaqueType)
    }

    /// Whether the code is a part of the module's interface, which no local type can be.
    private static func isInlinable(_ node: Syntax) -> Bool {
        guard let attributes = node.asProtocol((any WithAttributesSyntax).self)?.attributes else { return false }
        return attributes.contains { attribute in
            guard case .attribute(let attribute) = attribute else { return false }
            let name = attribute.attributeName.trimmedDescription
            return ["inlinable", "_alwaysEmitIntoClient", "backDeployed", "_transparent", "export"].contains(name)
        }
    }
}
