// Recovers after a mistake: the parser records it and continues at the next segment.
//
// Obvious repairs are offered as "did you mean". Each shows the smallest part of the repaired query that makes the
// change clear. The parser does not offer a repair that leads to another mistake.

extension Parser {
    /// Inserts a mistake at its place in the order of the query. Of several that begin together, the first reported one
    /// comes first.
    mutating func report(_ diagnostic: Diagnostic) {
        guard diagnostics.count < QueryLimits.diagnostics else { return }
        let start = diagnostic.range.lowerBound
        let later = diagnostics.firstIndex { $0.range.lowerBound > start }
        diagnostics.insert(diagnostic, at: later ?? diagnostics.endIndex)
    }

    /// Moves to the next '/' outside of braces, brackets, a filter or a form query, or to the end. Nothing on the way
    /// is a mistake of its own: the content of a broken segment can mean anything.
    mutating func recover() {
        if let enclosure { lexer.skip(past: enclosure) }
        enclosure = nil
        while let byte = lexer.next, byte != .slash {
            lexer.skipByte()
            switch byte {
            case .openBrace: lexer.skip(past: .closeBrace)
            case .less: lexer.skip(past: .greater)
            case .openBracket: lexer.skip(past: .closeBracket)
            case .backslash: lexer.skip(past: .backslash)
            case .bar: _ = lexer.lexVerbatim(until: .slash)
            default: break
            }
        }
    }

    /// The mistake without a more specific problem.
    func unexpected(_ expectation: Diagnostic.Problem.Expectation, fix: Diagnostic.Fix? = nil) -> Diagnostic {
        Diagnostic(.unexpected(found: lexer.nextScalar, expected: expectation), at: lexer.nextRange, fix: fix)
    }

    // MARK: Repairs

    /// A removal, shown in the whole query.
    func fixInQuery(removing range: SourceRange) -> Diagnostic.Fix? { fixInQuery(replacing: range, with: "") }

    /// Nothing instead of the slash before an offset, unless that is the repair of an extraction before it already.
    func fixWithoutSlash(before offset: Int) -> Diagnostic.Fix? {
        let slash = (offset - 1)..<offset
        if isBehindSlashes(offset) || diagnostics.contains(where: { $0.fix?.range == slash }) { return nil }
        return fixInQuery(removing: slash)
    }

    /// Whether the slash before an offset is not the first of a run: the whole run is repaired where it begins.
    private func isBehindSlashes(_ offset: Int) -> Bool { offset > 1 && lexer.bytes[offset - 2] == .slash }

    /// One slash instead of the run of them at the lexer's position, none at the beginning and the end of the query. (A
    /// query `//a` is unlikely to mean a root of that name.)
    func fixToOneSlash() -> Diagnostic.Fix? {
        // No element has the name '.'.
        if isBehindSlashes(lexer.position) || lexer.bytes[..<(lexer.position - 1)].elementsEqual([.dot]) { return nil }
        let end = lexer.bytes[lexer.position...].firstIndex { $0 != .slash } ?? lexer.bytes.endIndex
        let isLeading = lexer.position == 1
        let isTrailing = end == lexer.bytes.endIndex
        return fixInQuery(removing: (isLeading || isTrailing ? lexer.position - 1 : lexer.position)..<end)
    }

    /// Another text for a sign and its repetitions after it: `$$` and `##` probably mean one sign. No repair if more
    /// than a conversion follows, because that would have to go, too.
    func fixToOneSign(from start: Int, with text: String) -> Diagnostic.Fix? {
        let sign = lexer.bytes[start]
        let end = lexer.bytes[start...].firstIndex { $0 != sign } ?? lexer.bytes.endIndex
        guard end == lexer.bytes.endIndex || lexer.bytes[end] == .bar else { return nil }
        return fixInQuery(replacing: start..<end, with: text)
    }

    /// One sign where the extraction's sign follows again.
    func fixToOneSign(behind extraction: Extraction?) -> Diagnostic.Fix? {
        switch (extraction, lexer.next) {
        case (.text, .some(.hash)), (.name, .some(.dollar)): fixToOneSign(from: lexer.position, with: "")
        default: nil
        }
    }

    /// `%%`, shown in the filter that begins at `start`. No such repair for text that looks like a specifier of C or of
    /// another percent sign rather than like text.
    func fixToPercent(at offset: Int, from start: Int) -> Diagnostic.Fix? {
        if let culprit = lexer.next, [.percent, .asterisk, .dollar].contains(culprit) { return nil }
        guard let end = lexer.bytes[offset...].prefix(QueryLimits.quotedScalars).firstIndex(of: .greater) else {
            return nil
        }
        return fix(replacing: offset..<offset, with: "%", showing: start..<(end + 1))
    }

    /// The conversion of a text instead of elements: `a|int` is probably `a#|int`. With an unknown name the bar itself
    /// is the mistake, and nothing is offered.
    func fixToText(_ conversion: SourceRange, name: SourceRange, inserting extraction: String) -> Diagnostic.Fix? {
        // A path after the bar is another query.
        if name.isEmpty { return lexer.next == .slash ? nil : fixInQuery(removing: conversion) }
        let text = lexer.text(name)
        guard let known = Conversion(rawValue: text) ?? Conversion(resembling: text) else { return nil }
        return fixInQuery(replacing: conversion, with: "\(extraction)|\(known.rawValue)")
    }

    /// Another end of the filter that begins at `start`. The lexer is before its '>'.
    func fixFilter(behind offset: Int, to text: String, from start: Int) -> Diagnostic.Fix? {
        fix(replacing: offset..<lexer.position, with: text, showing: start..<(lexer.position + 1))
    }

    /// A replacement, shown in the whole query.
    func fixInQuery(replacing range: SourceRange, with text: String) -> Diagnostic.Fix? {
        fix(replacing: range, with: text, showing: 0..<lexer.bytes.count)
    }

    /// No repair if it does not fit a line, because the reader could not see the change.
    private func fix(replacing range: SourceRange, with text: String, showing context: SourceRange) -> Diagnostic.Fix? {
        guard context.count <= QueryLimits.quotedScalars else { return nil }
        let shown =
            lexer.text(context.lowerBound..<range.lowerBound) + text
            + lexer.text(range.upperBound..<context.upperBound)
        return shown.isEmpty ? nil : Diagnostic.Fix(range: range, replacement: text, shown: shown)
    }
}
