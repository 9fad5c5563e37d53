// The completions and remarks during the typing of a line of `stanza repl`.

import DataForms
import QuerySyntax
import StanzaQuery

/// Completes the names and values of that place in the stanzas, and shows the mistake in a query.
final class ReplAssistant: LineAssistant {
    private let vocabulary: StanzaVocabulary
    private let painter: Painter
    private let settings: () -> ReplSettings

    /// Longer queries are not checked at every key: the check has to end before the next key.
    private static let maximumLength = 2_000

    init(_ vocabulary: StanzaVocabulary, _ painter: Painter, settings: @escaping () -> ReplSettings) {
        self.vocabulary = vocabulary
        self.painter = painter
        self.settings = settings
    }

    // MARK: Completion

    func completion(of text: String) -> LineCompletion {
        if let query = ReplInstruction.query(in: text) { return completion(ofQuery: query.text) }
        let text = String(text.drop { $0 == " " })
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        switch words.count {
        case 1: return LineCompletion(typed: text, candidates: ReplInstruction.commands.map(\.name))
        case 2 where words[0] == ":set":
            return LineCompletion(typed: words[1], candidates: ReplSettings.names.map { $0.name + " " })
        case 3 where words[0] == ":set":
            let values = ReplSettings.names.first { $0.name == words[1] }?.values ?? []
            return LineCompletion(typed: words[2], candidates: values)
        default: return .none
        }
    }

    private func completion(ofQuery text: String) -> LineCompletion {
        let point = CompletionPoint(endOf: text)
        let candidates =
            point.wanted == .conversion
            ? Conversion.allCases.map(\.rawValue) : Array(vocabulary.texts(at: point, settings()))
        return LineCompletion(typed: point.typed, candidates: candidates)
    }

    // MARK: Mistakes

    func remarks(on line: String, promptWidth: Int, width: Int) -> [String] {
        guard let (text, before) = ReplInstruction.query(in: line), !text.trimmed.isEmpty,
            text.utf8.count <= Self.maximumLength, let diagnostic = mistake(in: text.trimmed)
        else { return [] }
        let expectation = [
            diagnostic.expectation, diagnostic.shownRepair(of: text.trimmed).map { "did you mean '\($0)'?" },
        ]
        var remarks = ([diagnostic.message] + expectation.compactMap(\.self)).joined(separator: "; ")
            .withoutControls.wrapped(to: width - 1)
        let query = ParsedQuery(parsing: text)
        let column = promptWidth + before.columnCount + query.text(in: 0..<diagnostic.range.lowerBound).columnCount
        // A wrapped line has no place to point to below it. Only the terminal knows the width of control characters
        // such as tabs.
        let isSimple = !line.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if isSimple, promptWidth + line.columnCount < width, column < width - 1 {
            let length = max(1, query.text(in: diagnostic.range).columnCount)
            let marks = "^" + String(repeating: "~", count: min(length, width - 1 - column) - 1)
            remarks.insert(String(repeating: " ", count: column) + marks, at: 0)
        }
        return remarks.map { painter.paint($0, .mistake) }
    }

    private func mistake(in text: String) -> Diagnostic? {
        do throws(QueryError) {
            _ = try Query(text, options: settings().options)
            return nil
        } catch {
            return error.diagnostics.first
        }
    }
}
