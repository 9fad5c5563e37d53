// Extractions, and the small language of data-form queries inside of them (4.1, 5).
//
//     extraction    ::= '@@' | '@' attributeName | '#' | '$' | '\' form '\'
//     form          ::= ( '{' formType '}' )? ( '*' | name )? ( '[' [0-9]+ ']' )? ( [@&] [^\]+ )?

extension Parser {
    /// extraction?
    mutating func parseExtraction() throws(Diagnostic) -> Extraction? {
        if lexer.lex(.hash) { return .text }
        if lexer.lex(.dollar) { return .name }
        if lexer.lex(.at) { return lexer.lex(.at) ? .attributes : .attribute(try expectAttributeName()) }
        return lexer.lex(.backslash) ? .form(try expectForm()) : nil
    }

    /// form '\', after the first backslash
    private mutating func expectForm() throws(Diagnostic) -> FormQuery {
        let start = lexer.position
        enclosure = .backslash
        var form = FormQuery()
        form.formType = try parseFormType()
        form.type = lexer.lex(.asterisk) ? nil : lexer.lexName().map { TextRange($0) }
        form.index = try parseIndex()
        form.access = try parseAccess()
        guard lexer.lex(.backslash) else { throw unexpected(.formRest) }
        nodes.valueLength += lexer.position - start
        enclosure = nil
        return form
    }

    /// ( '{' [^}\]+ '}' )?, where '*' alone means any
    private mutating func parseFormType() throws(Diagnostic) -> TextRange? {
        guard lexer.lex(.openBrace) else { return nil }
        let range = lexer.lexVerbatim(until: .closeBrace, or: .backslash)
        if let slot = lexer.slot(in: range) { throw misplaced(slot) }
        guard lexer.next == .closeBrace else { throw unexpected(.closingBrace) }
        if range.isEmpty {
            let fix = Diagnostic.Fix(range: range, replacement: "*", shown: "{*}")
            throw Diagnostic(.emptyBraces, at: lexer.nextRange, fix: fix)
        }
        _ = lexer.lex(.closeBrace)
        return isAsterisk(range) ? nil : TextRange(range)
    }

    /// ( '[' [0-9]+ ']' )?
    private mutating func parseIndex() throws(Diagnostic) -> Int? {
        guard lexer.lex(.openBracket) else { return nil }
        guard var index = lexer.lexDigit() else {
            throw Diagnostic(.formIndexNeedsDigits(found: lexer.nextScalar), at: lexer.nextRange)
        }
        while let digit = lexer.lexDigit() {
            let (tens, overflow) = index.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(digit)
            index = overflow || carry ? .max : sum
        }
        guard lexer.lex(.closeBracket) else { throw unexpected(.closingBracket) }
        return index
    }

    /// ( [@&] [^\]+ )?
    private mutating func parseAccess() throws(Diagnostic) -> FormQuery.Access {
        let isValue = lexer.lex(.at)
        guard isValue || lexer.lex(.ampersand) else { return .none }
        let field = lexer.lexVerbatim(until: .backslash)
        guard !field.isEmpty else {
            throw lexer.isAtEnd ? unexpected(.formRest) : Diagnostic(.formFieldNeedsName, at: lexer.nextRange)
        }
        let name = try wholeSlot(in: field).map { NamePiece.slot($0) } ?? .text(TextRange(field))
        return isValue ? .value(field: name) : .description(field: name)
    }
}
