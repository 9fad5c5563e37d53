// Fuzzes the query compiler: any text becomes a program or diagnostics that keep their promises, and always the same.
//
// Input: options (one byte), then the query; bytes that are not UTF-8 are repaired.

import QuerySyntax
import QueryTools

@testable import StanzaQuery

func fuzzCompiler(_ input: FuzzInput) {
    var input = input
    let options = QueryOptions(rawValue: input.byte() & 3)
    let text = String(decoding: input.rest(), as: UTF8.self)
    let parsed = ParsedQuery(parsing: text)
    check(parsed.diagnostics, of: text)
    checkFirstSyntaxError(of: parsed)
    checkTree(of: parsed)
    do throws(QueryError) {
        let query = try Query(text, options: options)
        require(parsed.diagnostics.isEmpty, "compiled, although \(parsed.diagnostics)")
        let listing = query.listing
        require(!listing.isEmpty, "a program without instructions")
        let again = try Query(text, options: options)
        require(again.listing == listing, "compiles differently the second time")
        require(query.argumentCount == specifiers(in: parsed.tree), "not as many arguments as specifiers")
    } catch {
        check(error.diagnostics, of: text)
        require(error.description == error.first.rendered(in: text), "an error is not its first diagnostic")
        // A bad regular expression is all that the compiler finds by itself.
        require(error.kind == .invalidRegex || error.first == parsed.diagnostics.first, "the parser missed it")
        do throws(QueryError) {
            _ = try Query(text, options: options)
            require(false, "fails only the first time")
        } catch let again {
            require(again == error, "fails differently the second time")
        }
    }
}

private func check(_ diagnostics: [Diagnostic], of text: String) {
    let length = text.utf8.count
    require(diagnostics.count <= QueryLimits.diagnostics, "too many diagnostics")
    var last = 0
    for diagnostic in diagnostics {
        let range = diagnostic.range
        require(range.lowerBound >= last && range.upperBound <= length, "range \(range) after \(last) of \(length)")
        last = range.lowerBound
        for bound in [range.lowerBound, range.upperBound] {
            let index = text.utf8.index(text.startIndex, offsetBy: bound)
            require(index.samePosition(in: text.unicodeScalars) != nil, "range \(range) splits a character")
        }
        let drawn = diagnostic.rendered(in: text)
        require(drawn.hasPrefix("error: "), "drawn without its head")
        require(drawn.unicodeScalars.count <= 3_000, "drawn without bounds")
        require(!drawn.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "control characters are drawn")
        guard let fix = diagnostic.fix else { continue }
        require(fix.range.lowerBound >= 0 && fix.range.upperBound <= length, "the repair is outside of the query")
        if diagnostic == diagnostics[0] { checkRepair(fix, of: diagnostic, in: text) }
    }
}

/// A repair takes its mistake away, and does not bring one to the left.
private func checkRepair(_ fix: Diagnostic.Fix, of diagnostic: Diagnostic, in text: String) {
    var bytes = Array(text.utf8)
    bytes.replaceSubrange(fix.range, with: fix.replacement.utf8)
    let next = ParsedQuery(parsing: String(decoding: bytes, as: UTF8.self)).diagnostics.first
    let isBetter = next.map { $0.range.lowerBound > diagnostic.range.lowerBound } ?? true
    // Where a mistake is repeated, the repair takes away one.
    let isShorter = bytes.count < text.utf8.count
    require(
        isBetter || isShorter || next?.problem != diagnostic.problem,
        "the repair of \(diagnostic.problem) does not help")
}

/// A syntax error begins after the longest beginning that some query has (7.2). So the text up to there has no error
/// before its end, and one character more makes an error that begins there.
private func checkFirstSyntaxError(of parsed: ParsedQuery) {
    guard let error = parsed.diagnostics.first(where: { $0.kind == .syntax }) else { return }
    let text = parsed.source
    let offset = error.range.lowerBound
    let end = text.utf8.index(text.startIndex, offsetBy: offset)
    let before = firstSyntaxError(in: text[..<end])
    require(before == nil || before == offset, "an error at \(offset), but one at \(before ?? 0) before that")
    guard end < text.endIndex else { return }
    let behind = text.unicodeScalars.index(after: end)
    require(firstSyntaxError(in: text[..<behind]) == offset, "text after \(offset) decides about it")
}

private func firstSyntaxError(in text: Substring) -> Int? {
    ParsedQuery(parsing: String(text)).diagnostics.first { $0.kind == .syntax }?.range.lowerBound
}

private func checkTree(of parsed: ParsedQuery) {
    let length = parsed.source.utf8.count
    require(parsed.tree.description.utf8.count <= 100 + 30 * length, "the outline is without bounds")
    var last = 0
    var step = 0..<0
    var filter = 0..<0
    for node in parsed.tree.nodes {
        let range = node.range
        switch node.content {
        case .ascend, .elements, .selfNode, .extraction, .conversion:
            require(range.lowerBound >= last && range.upperBound <= length, "step at \(range)")
            step = range
            last = range.upperBound
        case .filter:
            require(step.lowerBound <= range.lowerBound && range.upperBound <= step.upperBound, "filter at \(range)")
            require(filter.upperBound <= range.lowerBound, "filter at \(range) after \(filter)")
            filter = range
        case .part:
            require(filter.lowerBound < range.lowerBound && range.upperBound < filter.upperBound, "part at \(range)")
        }
    }
}

private func specifiers(in tree: QueryTree) -> Int {
    tree.nodes.count { if case .part(.specifier) = $0.content { true } else { false } }
}
