// Checks expansions and diagnostics of the compiler plugin.

public import Testing

/// Requires that the macros of a source expand to this text, without diagnostics.
///
/// - Parameters:
///   - source: May enclose the macros in types.
///   - surroundings: The functions, closures and types around the source, without content, innermost first.
///   - expanded: The text of each macro, in the order of the source, with an empty line between them.
public func expectExpansion(
    of source: String, within surroundings: [String] = [], _ expanded: String,
    location: SourceLocation = #_sourceLocation
) {
    let expansions = MacroUse.expansions(of: source, in: surroundings)
    let diagnostics = expansions.flatMap(\.diagnostics).map(\.message)
    let text = expansions.map(\.expandedSource).filter { !$0.isEmpty }.joined(separator: "\n\n")
    #expect(diagnostics == [], sourceLocation: location)
    #expect(text == expanded, "\(text)", sourceLocation: location)
}

/// Requires diagnostics, and the text of a fix-it.
///
/// - Parameters:
///   - source: Has `⟪` and `⟫` around the code that each diagnostic is about. It may enclose macros in types.
///   - surroundings: The functions, closures and types around the source, without content, innermost first.
///   - messages: The texts of the diagnostics, in the same order.
///   - fixed: The text that the first fix-it inserts.
public func expectDiagnostics(
    in source: String, within surroundings: [String] = [], _ messages: String..., fixed: String? = nil,
    location: SourceLocation = #_sourceLocation
) {
    let marked = MarkedSource(source)
    let mistakes = reportedMistakes(in: marked.text, within: surroundings)
    // Several macros of a type may report the same mistake, each in the order of the source.
    let found = mistakes.map { "\($0.message) at \($0.place): \($0.text)" }
    let expected = zip(messages, marked.places).map { "\($0) at \($1.offset): \($1.text)" }
    #expect(found == expected, sourceLocation: location)
    #expect(messages.count == marked.places.count, sourceLocation: location)
    if let fixed { #expect(mistakes.first?.replacement == fixed, sourceLocation: location) }
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
