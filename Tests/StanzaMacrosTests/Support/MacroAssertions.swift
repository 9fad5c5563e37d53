// Checks expansions and diagnostics of the compiler plugin.

import Testing

/// Requires that the macros of a source expand to this text, without diagnostics.
///
/// - Parameters:
///   - source: May enclose the macros in types.
///   - surroundings: The functions, closures and types around the source, without content, innermost first.
///   - expanded: The text of each macro, in the order of the source, with an empty line between them.
func expectExpansion(
    of source: String, within surroundings: [String] = [], _ expanded: String,
    location: SourceLocation = #_sourceLocation
) {
    let expansions = MacroUse.expansions(of: source, in: surroundings)
    let diagnostics = expansions.flatMap(\.diagnostics).map(\.message)
    let text = expansions.map(\.expandedSource).filter { !$0.isEmpty }.joined(separator: "\n\n")
    #expect(diagnostics == [], sourceLocation: location)
    #expect(text == expanded, "\(text)", sourceLocation: location)
}

/// Requires the diagnostics of each source of a table, and no others.
///
/// - Parameters:
///   - table: A source in each line without indentation, which has `⟪` and `⟫` around the code that each diagnostic is
///     about, and `⏎` for a line break. The indented lines after it are the messages, in the same order, with `⏎` in a
///     message of several lines. A last one that begins with `→` is the text that the first fix-it inserts.
///   - frame: Encloses each source, in place of its `•`.
///   - surroundings: The functions, closures and types around the source, without content, innermost first.
func expectDiagnostics(
    _ table: String, in frame: String = "•", within surroundings: [String] = [],
    location: SourceLocation = #_sourceLocation
) {
    var cases: [(source: String, messages: [String])] = []
    for line in table.split(separator: "\n").map({ $0.replacing("⏎", with: "\n") }) {
        if line.hasPrefix(" "), !cases.isEmpty {
            cases[cases.count - 1].messages.append(String(line.drop { $0 == " " }))
        } else {
            cases.append((String(line), []))
        }
    }
    for (source, messages) in cases {
        let marked = MarkedSource(frame.replacing("•", with: source))
        let mistakes = reportedMistakes(in: marked.text, within: surroundings)
        // Several macros of a type may report the same mistake, each in the order of the source.
        let found = mistakes.map { "\($0.message) at \($0.place): \($0.text)" }
        let fixed = messages.last.flatMap { $0.hasPrefix("→ ") ? String($0.dropFirst(2)) : nil }
        let texts = fixed == nil ? messages : messages.dropLast()
        let expected = zip(texts, marked.places).map { "\($0) at \($1.offset): \($1.text)" }
        #expect(found == expected, "\(source)", sourceLocation: location)
        #expect(texts.count == marked.places.count, "\(source)", sourceLocation: location)
        if let fixed { #expect(mistakes.first?.replacement == fixed, "\(source)", sourceLocation: location) }
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
