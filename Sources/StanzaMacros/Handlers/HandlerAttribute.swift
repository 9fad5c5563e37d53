// Reads the arguments of @Handler, and reports the mistakes that a macro can see.

import SwiftSyntax
import SwiftSyntaxMacros

/// The arguments of @Handler, as written.
struct HandlerAttribute {
    let node: AttributeSyntax
    private let arguments: [String: ExprSyntax]

    init(_ node: AttributeSyntax) {
        self.node = node
        var arguments: [String: ExprSyntax] = [:]
        if case .argumentList(let list)? = node.arguments {
            for argument in list { arguments[argument.label?.text ?? "name"] = argument.expression }
        }
        self.arguments = arguments
    }

    /// The explicit name; `nil` without one.
    var name: ExprSyntax? { arguments["name"].flatMap { $0.is(NilLiteralExprSyntax.self) ? nil : $0 } }

    /// The statement that obtains the instance.
    var instance: ExprSyntax? { arguments["on"] }

    /// Arguments that go to the definition as they are, with their labels there.
    var passedOn: [(label: String, value: ExprSyntax)] {
        [
            ("formerly", "formerly"), ("version", "version"), ("migrations", "migrations"),
            ("singleShot", "isSingleShot"),
        ]
        .compactMap { label, newLabel in arguments[label].map { (newLabel, $0) } }
    }

    /// The stored names that are literals, the present one first, with the places to complain at.
    var literalNames: [(name: String, node: Syntax)] {
        let formerly = arguments["formerly"]?.as(ArrayExprSyntax.self)?.elements.map(\.expression) ?? []
        return ([name].compactMap(\.self) + formerly).compactMap { expression in
            expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue.map { ($0, Syntax(expression)) }
        }
    }

    /// Reports names that are none, and versions without migrations, where they can be read.
    func check(_ context: some MacroExpansionContext) -> Bool {
        var isRight = true
        for (name, node) in literalNames where !Self.isName(name) {
            context.report(
                "name",
                "'\(name)' is not a handler name: expected \"Type|function\" without '<', '>' and control characters",
                at: node)
            isRight = false
        }
        return checkMigrations(context) && isRight
    }

    private func checkMigrations(_ context: some MacroExpansionContext) -> Bool {
        var version = 1
        if let written = arguments["version"] {
            guard let number = written.integer else { return true }
            version = number
            if version < 1 {
                context.report("version", "versions begin with 1", at: written)
                return false
            }
        }
        var known: Set<Int> = []
        if let written = arguments["migrations"] {
            guard let migrations = written.as(DictionaryExprSyntax.self) else { return true }
            if case .elements(let elements) = migrations.content {
                for element in elements {
                    guard let start = element.key.integer else { return true }
                    if start < 1 || start >= version {
                        context.report(
                            "migration",
                            "this migration is never used: it starts from version \(start), and version \(version) is the newest",
                            at: element.key)
                        return false
                    }
                    known.insert(start)
                }
            }
        }
        // A version in the thousands is a slip, because it needs as many migrations, and is not worth a long loop.
        guard let written = arguments["version"],
            let missing = (1..<version).prefix(1000).first(where: { !known.contains($0) })
        else { return true }
        context.report(
            "migration",
            "the migration from version \(missing) is missing: add 'migrations: [\(missing): { arguments in … }]'",
            at: written)
        return false
    }

    /// The same rule as `HandlerName.isValid`, which a plugin cannot call.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "|", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.count <= 255
                    && part.unicodeScalars.allSatisfy {
                        $0.properties.generalCategory != .control && $0 != "<" && $0 != ">"
                    }
            }
    }
}

extension ExprSyntax {
    /// The value of an integer literal in decimal.
    fileprivate var integer: Int? {
        self.as(IntegerLiteralExprSyntax.self).flatMap { Int($0.literal.text.filter { $0 != "_" }) }
    }
}
