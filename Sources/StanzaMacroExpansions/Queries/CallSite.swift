// Whether a place in the program can have storage of its own: a type with a static property, which does not go everywhere.

import SwiftSyntax
import SwiftSyntaxMacros

/// The place where a macro is used.
struct CallSite {
    /// Whether a local type with a static property may stand here.
    let hasStorage: Bool

    init(_ context: some MacroExpansionContext) {
        let surroundings = context.lexicalContext
        hasStorage =
            !surroundings.contains { Self.isGeneric($0) || Self.isInlinable($0) } && !Self.isOfProperty(surroundings)
    }

    /// Whether the place is in a property that is not a function's: its accessors may be inlinable, as its initial value in a
    /// frozen type is, and that cannot be seen from here.
    private static func isOfProperty(_ surroundings: [Syntax]) -> Bool {
        let property = surroundings.lastIndex {
            $0.is(PatternBindingSyntax.self) || $0.is(AccessorDeclSyntax.self)
        }
        guard let property else { return false }
        return !surroundings[(property + 1)...].contains {
            $0.is(FunctionDeclSyntax.self) || $0.is(InitializerDeclSyntax.self) || $0.is(DeinitializerDeclSyntax.self)
                || $0.is(ClosureExprSyntax.self)
        }
    }

    /// An extension counts, as what it extends may be generic.
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
            return ["inlinable", "_alwaysEmitIntoClient", "backDeployed", "_transparent"].contains(name)
        }
    }
}
