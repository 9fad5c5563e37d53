// The diagnostics of macros as values, for tests that go through many sources.

/// A diagnostic of a macro.
struct ReportedMistake: Equatable, Sendable {
    let message: String
    let isWarning: Bool
    /// Its place, as a UTF-8 offset in the source.
    let place: Int
    /// The code that it is about.
    let text: String
    /// The message of the fix-it, if one exists.
    let offer: String?
    /// The range that the fix-it replaces, as UTF-8 offsets in the source.
    let change: Range<Int>?
    /// The text that the fix-it inserts there.
    let replacement: String?
    /// The source after the fix-it.
    let fixed: String?
}

/// Returns the diagnostics of the macros of a source, in their order.
///
/// - Parameter surroundings: The functions, closures and types around the source, without content, innermost first.
func reportedMistakes(in source: String, within surroundings: [String] = []) -> [ReportedMistake] {
    let bytes = Array(source.utf8)
    return MacroUse.expansions(of: source, in: surroundings).flatMap(\.diagnostics).map { diagnostic in
        let fixIt = diagnostic.fixIts.first
        let change = fixIt?.changes.first
        let fixed = change.map { change in
            var bytes = bytes
            bytes.replaceSubrange(change.range.range, with: Array(change.newText.utf8))
            return String(decoding: bytes, as: UTF8.self)
        }
        return ReportedMistake(
            message: diagnostic.message, isWarning: diagnostic.severity == "warning",
            place: diagnostic.position.offset,
            text: (diagnostic.highlights.first?.range).map { String(decoding: bytes[$0], as: UTF8.self) } ?? "",
            offer: fixIt?.message, change: change?.range.range, replacement: change?.newText, fixed: fixed)
    }
}

/// Returns the values of string literals that are not empty, as swift-syntax evaluates them: the message about the
/// second field of a name contains it.
func values(ofLiterals literals: [String]) -> [String] {
    var source = "@DataForm(\"a\") struct A {"
    var places: Set<Int> = []
    for literal in literals {
        source += " @Field(\(literal)) var a: Int; @Field("
        places.insert(source.utf8.count)
        source += "\(literal)) var b: Int;"
    }
    let start = "two fields are called '".utf8
    return MacroUse.firstExpansions(of: source + " }").flatMap(\.diagnostics).compactMap { diagnostic in
        let message = diagnostic.message.utf8
        guard places.contains(diagnostic.position.offset), message.starts(with: start) else { return nil }
        return String(message.dropFirst(start.count).dropLast())
    }
}
