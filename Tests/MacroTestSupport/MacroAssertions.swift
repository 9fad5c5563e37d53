// Checks expansions and diagnostics with the test support of swift-syntax.

import StanzaMacroExpansions
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
public import Testing

private enum DataFormMacro: DataFormExpanding {}

private enum FieldMacro: FieldExpanding {}

private enum HandlerMacro: HandlerExpanding {}

private enum HandlersMacro: HandlersExpanding {}

private enum NamedMacro: NamedExpanding {}

private enum QueryMacro: QueryExpanding {}

private enum QueriesMacro: QueriesExpanding {}

let macros: [String: MacroSpec] = [
    "DataForm": MacroSpec(type: DataFormMacro.self, conformances: ["DataFormConvertible"]),
    "Field": MacroSpec(type: FieldMacro.self),
    "Handler": MacroSpec(type: HandlerMacro.self),
    "Handlers": MacroSpec(type: HandlersMacro.self, conformances: ["HandlerProvider"]),
    "named": MacroSpec(type: NamedMacro.self),
    "query": MacroSpec(type: QueryMacro.self),
    "queries": MacroSpec(type: QueriesMacro.self),
]

/// Expands the macros of a source named `Test.swift`, and returns the context with their diagnostics.
func expandMacros(in source: String) -> BasicMacroExpansionContext {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    _ = file.expand(
        macroSpecs: macros,
        contextGenerator: {
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        })
    return context
}

/// Requires that a source expands to this text, without diagnostics.
public func expectExpansion(
    of source: String, _ expanded: String, location: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: expanded, macroSpecs: macros,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: location) })
}

/// Requires diagnostics, and the source after a fix-it.
///
/// - Parameters:
///   - source: Has `⟪` and `⟫` around the code that each diagnostic is about.
///   - messages: The texts of the diagnostics, in the same order.
///   - fixed: The source after the first fix-it.
public func expectDiagnostics(
    in source: String, _ messages: String..., fixed: String? = nil,
    location: Testing.SourceLocation = #_sourceLocation
) {
    let marked = MarkedSource(source)
    let context = expandMacros(in: marked.text)
    // Several macros of a type may report the same mistake, each in the order of the source.
    let found = context.diagnostics.map { diagnostic in
        let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Test.swift")
        return "\(diagnostic.message) at \(place.offset): \(diagnostic.node.trimmedDescription)"
    }
    let expected = zip(messages, marked.places).map { "\($0) at \($1.offset): \($1.text)" }
    #expect(found == expected, sourceLocation: location)
    #expect(messages.count == marked.places.count, sourceLocation: location)
    if let fixed {
        let changes = context.diagnostics.first?.fixIts.first?.changes ?? []
        guard case .replace(_, let node)? = changes.first else {
            Issue.record("the fix-it is missing", sourceLocation: location)
            return
        }
        #expect(node.trimmedDescription == fixed, sourceLocation: location)
    }
}

/// A source with marks around the code that diagnostics are about.
private struct MarkedSource {
    private(set) var text = ""
    private(set) var places: [(offset: Int, text: String)] = []

    init(_ source: String) {
        var starts: [Int] = []
        for character in source {
            switch character {
            case "⟪":
                starts.append(places.count)
                places.append((text.utf8.count, ""))
            case "⟫":
                let start = starts.removeLast()
                places[start].text = String(decoding: Array(text.utf8)[places[start].offset...], as: UTF8.self)
            default: text.append(character)
            }
        }
    }
}
