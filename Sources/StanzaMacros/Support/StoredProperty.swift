// A stored property with a mark of a macro: the binding, and the mistakes that do not depend on the mark.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The one stored property that a declaration declares.
struct StoredProperty {
    let variable: VariableDeclSyntax
    let binding: PatternBindingSyntax
    let identifier: TokenSyntax

    /// `nil`, with a report, for a declaration of another kind.
    ///
    /// - Parameter noun: The word for such a property, as "a field".
    init?(_ variable: VariableDeclSyntax, as noun: String, id: String, _ context: some MacroExpansionContext) {
        guard variable.bindings.count == 1, let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else {
            context.report(id, "\(noun) needs a declaration of its own", at: variable.bindings)
            return nil
        }
        let isOfType = variable.modifiers.contains(.static) || variable.modifiers.contains(.lazy)
        if isOfType || !binding.isStored {
            context.report(id, "\(noun) is a stored property of the instance", at: binding.pattern)
            return nil
        }
        (self.variable, self.binding, identifier) = (variable, binding, pattern.identifier)
    }

    var hasValue: Bool { binding.initializer != nil }

    /// Reports a constant that has a value.
    func checkConstant(source: String, id: String, _ context: some MacroExpansionContext) -> Bool {
        guard variable.bindingSpecifier.tokenKind == .keyword(.let), hasValue else { return true }
        let fix = variable.with(\.bindingSpecifier.tokenKind, .keyword(.var))
        context.report(
            id,
            "'\(identifier.plainText)': a constant that has a value cannot get that of the \(source): write 'var'",
            at: variable.bindingSpecifier, fixIts: [.replacing(variable, by: fix, "write 'var'")])
        return false
    }

    /// Reports a stored property without a mark that has no value.
    ///
    /// - Parameters:
    ///   - problem: The mistake, after the name of the property.
    ///   - mark: The attribute that the fix-it adds, if there is one.
    static func checkOther(
        _ variable: VariableDeclSyntax, _ problem: String, mark: String?, _ context: some MacroExpansionContext
    ) -> Bool {
        if variable.modifiers.contains(.static) || variable.modifiers.contains(.lazy) { return true }
        let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
        for binding in variable.bindings where binding.isStored && binding.initializer == nil {
            let type = binding.typeAnnotation?.type
            if isVariable, type?.optionalType != nil || type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true {
                continue
            }
            var fixIts: [FixIt] = []
            if let mark, variable.bindings.count == 1 {
                var fix = variable.trimmed
                fix.attributes.insert(
                    .attribute(AttributeSyntax(TypeSyntax(stringLiteral: mark)).with(\.trailingTrivia, .space)),
                    at: fix.attributes.startIndex)
                fixIts = [.replacing(variable, by: fix, "add '@\(mark)'")]
            }
            context.report(
                "other", "'\(binding.pattern.trimmedDescription)' \(problem)", at: binding.pattern, fixIts: fixIts)
            return false
        }
        return true
    }
}

extension FixIt {
    static func replacing(_ old: some SyntaxProtocol, by new: some SyntaxProtocol, _ message: String) -> FixIt {
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
    /// The value of a string literal without interpolations.
    var stringValue: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}
