// The texts of all mistakes, one or two lines each: `message` describes the mistake, `expectation` the right text. A
// mistake or a remark is drawn under the query: a pure function from texts and a range to lines (7.3).

import SafeText

extension Diagnostic {
    /// The mistake, in one line without the place.
    public var message: String { problem.text.message }

    /// The expected text at the place; `nil` if it would only repeat the message.
    public var expectation: String? { problem.text.expectation }

    /// The diagnostic, drawn under its piece of the query in two to three lines, without a last line break. Another
    /// query than the diagnostic's does no harm: its drawing is arbitrary.
    public func rendered(in query: String) -> String {
        drawRemark("error: \(message)", at: range, hint: expectation, in: query)
            + (shownRepair(of: query).map { "\n  did you mean '\(visibleScalars($0))'?" } ?? "")
    }

    /// The query with the repairs of all its mistakes of syntax, if they are known. This one is the first.
    package func repaired(_ query: String) -> String? {
        var (text, next) = (query, fix)
        for _ in 0..<QueryLimits.repairs {
            guard let fix = next, let repaired = fix.applied(to: text) else { return nil }
            guard let mistake = ParsedQuery(parsing: repaired).diagnostics.first else { return repaired }
            (text, next) = (repaired, mistake.fix)
        }
        return nil
    }

    /// The repair to offer. That of the first mistake is the whole query if one repair is not enough, and nothing if
    /// another mistake has none.
    package func shownRepair(of query: String) -> String? {
        // A text with slots cannot be read again.
        if query.mentions("\\(") || ParsedQuery(parsing: query).diagnostics.first != self { return repair }
        guard let text = repaired(query) else { return nil }
        if text == fix?.applied(to: query) { return repair }
        return text.utf8.count <= QueryLimits.quotedScalars ? text : nil
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The message with the place: `26..<33: unknown conversion 'integer'`.
    public var description: String { "\(range): \(message)" }
}

extension Diagnostic.Problem {
    typealias Text = (message: String, expectation: String?)

    var text: Text {
        switch self {
        case .unexpected(let found, let expected): (surprise(found), "expected \(expected.rawValue)")
        case .loneSlash:
            (
                "nothing follows the '/'",
                "expected a segment such as '*' or '@id'; the empty query is the element itself"
            )
        case .trailingSlash: ("the query ends with a '/'", "expected another segment; '*' is a child of any name")
        case .emptySegment:
            ("empty segment", "expected a name, '*' for any; no query reaches descendants at any depth")
        case .namespaceNeedsBraces:
            ("a namespace without braces", "expected it in braces, before the name: '{namespace}name'")
        case .filterNeedsName:
            (
                "a filter without a name",
                "expected a form query; before a filter write a name, or '*' for any; '/<' begins one of the element itself"
            )
        case .nameExtractionNeedsName:
            ("'$' without a name", "expected a name before '$', '*' for any; '/$' is the name of the element itself")
        case .conversionNeedsExtraction:
            ("a conversion of nothing", "expected a segment; a conversion follows '@name', '#', '$' or '\\@field\\'")
        case .negationNeedsName(let found):
            ("\(surprise(found)) after '!'", "expected the name that the element must not have")
        case .parentIsNoName: ("'..' is not a name", "expected a name; '..' takes neither a namespace nor '!'")
        case .parentTakesNoFilter: ("'..' takes no filter", "expected '/' or the end of the query")
        case .emptyBraces: ("empty braces", "expected a namespace or, for any, '*'")
        case .anyNamespaceOfAttribute:
            ("an attribute cannot be in any namespace", "expected a namespace, or the name without '{*}'")
        case .attributeNeedsName(let found):
            (
                surprise(found),
                "expected the name of an attribute" + (found == "#" ? "; a text is a result, not a condition" : "")
            )
        case .filterNeedsCondition:
            (
                "a filter without a condition",
                "expected '=' and a value, or '~' and a regular expression; '~^.*$' is the test of presence"
            )
        case .conditionInBrackets:
            ("a condition in brackets", "expected a filter of an attribute: '<name=value>' or '<name~regex>'")
        case .positionInBrackets:
            ("a position in brackets", "expected a name or a filter; queries have no positions")
        case .functionCall: ("queries have no functions", "expected an extraction: '#' is the text, '$' the name")
        case .comparisonNeedsFilter:
            ("a comparison outside of a filter", "expected a filter instead of the extraction: '<name=value>'")
        case .emptyValue: ("a filter with an empty value", "expected a value; '~^$' is the test of an empty one")
        case .emptyRegex: ("an empty regular expression", "expected a pattern; '^.*$' matches every value")
        case .invalidSpecifier(let found):
            (
                "\(surprise(found)) in a format specifier",
                "expected a specifier such as %@ or %d; write '%%' for a percent sign"
            )
        case .specifierNumberTooLarge:
            (
                "the number in a format specifier is too large",
                "expected at most \(QueryLimits.specifierNumber); write '%%' for a percent sign"
            )
        case .formFieldNeedsName: ("a form field without a name", "expected the name of a field")
        case .formIndexNeedsDigits(let found):
            ("\(surprise(found)) in an index", "expected the number of an item, from 0")
        case .emptyConversion: ("a conversion without a name", "expected one of: \(Conversion.listing)")
        case .misplacedSlot:
            (
                "an interpolation is not allowed here",
                "expected it between braces for a whole namespace, as the whole name of an element, an attribute or a form "
                    + "field, or in a filter after '='"
            )
        case .specifierAmongSlots:
            (
                "a format specifier in a query whose arguments are interpolated",
                "expected an interpolation; write '%%' for a percent sign"
            )
        case .unknownConversion(let name):
            ("unknown conversion \(quoted(name))", "expected one of: \(Conversion.listing)")
        case .misplacedConversion(let unconvertible):
            ("a conversion of \(unconvertible.rawValue)", "only '@name', '#', '$' and '\\@field\\' can be converted")
        case .extractionBeforeEnd: ("an extraction before the last segment", "only the last segment can have one")
        case .extractionOfParent: ("an extraction at '..'", "expected '/' between '..' and the extraction")
        case .invalidRegex(let message, _) where message.mentions("trait 'Patterns'"):
            ("a regular expression", message)
        case .invalidRegex(let message, let offset):
            ("invalid regular expression: \(message) (at offset \(offset) of the pattern)", regexHint(for: message))
        case .missingArgument(let specifier):
            ("no argument for \(quoted(specifier.description))", "expected one argument for every specifier")
        case .tooManyArguments(let expected, let given):
            ("too many arguments", "expected \(expected), given \(given)")
        case .argumentsAreBound(let given):
            (
                "arguments for a query that has its arguments",
                "expected none, given \(given): 'binding' or the interpolations set all values of the query"
            )
        case .argumentMismatch(let specifier, let given):
            (
                "\(visible(given)) does not fit \(quoted(specifier.description))",
                "expected \(specifier.conversion.argument)"
            )
        case .regexLimit:
            (
                "the regular expression exceeded its limit",
                "expected a pattern that backtracks less; for values above 4,096 bytes it must begin with '^'"
            )
        case .resultType(let type, let kind, let accepted):
            (
                "results of kind \(quoted(kind)) for the type \(quoted(type))",
                "expected \(accepted.joined(separator: ", ")): change the end of the query, or the type in 'as:' or "
                    + "'#query<…>'"
            )
        }
    }
}

extension FormatSpecifier.Conversion {
    fileprivate var argument: String {
        switch self {
        case .any: "any value"
        case .decimal, .integer: "a whole number from \(Int64.min) to \(UInt64.max)"
        case .unsigned, .hexadecimal, .upperHexadecimal, .octal: "a whole number from 0 to \(UInt64.max)"
        case .character: "one character, or its code point"
        case .string: "a text"
        case .fixed, .exponent, .general: "a number"
        }
    }
}

// MARK: Pieces

private func surprise(_ found: Unicode.Scalar?) -> String {
    found.map { "unexpected \(quoted(String($0)))" } ?? "unexpected end of the query"
}

/// Text from outside between quotes, on one line and not too long.
private func quoted(_ text: String) -> String { "'\(visible(text))'" }

private func visible(_ text: String) -> String { visibleScalars(text.cut(toScalars: QueryLimits.quotedScalars)) }

/// A '>' ends the pattern at any place, so a group or a name that needs one breaks off, and PCRE2 reports the missing
/// rest.
private func regexHint(for message: String) -> String? {
    if message.mentions("too deeply nested") { return "expected fewer parentheses inside each other" }
    if message.mentions("PCRE2 read spaces") { return "expected no spaces at the ends of these braces" }
    if message.mentions("versions of PCRE2") {
        return "expected bounds without spaces, the lower one first; write '\\{' for a brace that is text"
    }
    if message.mentions("number too big in {} quantifier") {
        return "expected bounds up to \(PatternBraces.mostRepetitions), the most that PCRE2 repeats"
    }
    let signs = ["missing closing parenthesis", "(?", "name expected", "terminator", "end of pattern"]
    guard signs.contains(where: { message.mentions($0) }) else { return nil }
    return "'>' ends the pattern: write '\\x3e' for it, '(*atomic:…)' for '(?>…)', '(?'n'…)' for '(?<n>…)'"
}

extension String {
    /// Whether a text occurs in this one. `contains` would bring the library of regular expressions, 1.4 MB of a static
    /// program.
    fileprivate func mentions(_ text: String) -> Bool { utf8.indices.contains { utf8[$0...].starts(with: text.utf8) } }
}

// MARK: Drawing

/// Draws a remark on a piece of a query, in three lines.
///
/// The query stays on one line: control and format characters are replaced, one for one. The caret counts scalars, so a
/// terminal shows it aside of combining and wide characters. A long query is cut to a window around the mistake.
package func drawRemark(_ headline: String, at range: SourceRange, hint: String?, in query: String) -> String {
    let window = DrawingWindow(around: range, in: query)
    let pad = String(repeating: " ", count: window.column)
    let line = "^" + String(repeating: "~", count: max(0, window.width - 1))
    return "\(headline)\n  \(window.text)\n  \(pad)\(line)" + (hint.map { " \($0)" } ?? "")
}

/// The part of a query that is drawn, and where the mistake is in it. Columns count scalars.
private struct DrawingWindow {
    let text: String
    let column: Int
    let width: Int

    init(around range: SourceRange, in query: String) {
        let utf8 = query.utf8
        let start =
            utf8.index(utf8.startIndex, offsetBy: max(0, range.lowerBound), limitedBy: utf8.endIndex) ?? utf8.endIndex
        let end = utf8.index(start, offsetBy: range.count, limitedBy: utf8.endIndex) ?? utf8.endIndex
        let scalars = query.unicodeScalars
        let limit = QueryLimits.drawnScalars

        // The mistake gets room first, then the text before it, then the text after it.
        let marked = scalars[start..<end].prefix(limit)
        let followingWish = min(limit / 4, scalars[marked.endIndex...].prefix(limit).count)
        let before = scalars[..<start].suffix(max(0, limit - marked.count - followingWish))
        let after = scalars[marked.endIndex...].prefix(limit - marked.count - before.count)

        let isCutBefore = before.startIndex > scalars.startIndex
        let isCutAfter = after.endIndex < scalars.endIndex
        text =
            (isCutBefore ? "…" : "") + visibleScalars(String(scalars[before.startIndex..<after.endIndex]))
            + (isCutAfter ? "…" : "")
        column = before.count + (isCutBefore ? 1 : 0)
        width = marked.count
    }
}

/// A text on one line, scalar for scalar: control characters become their pictures, invisible ones and those that turn
/// the direction of writing a replacement character. The result has no character that controls a terminal.
package func visibleScalars(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += String($1.picture) }
}

extension Unicode.Scalar {
    /// The picture of the scalar in a drawing.
    fileprivate var picture: Unicode.Scalar {
        switch (value, properties.generalCategory) {
        case (0..<0x20, _): Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}"
        case (0x7F, _): "\u{2421}"
        case (_, .control), (_, .format), (_, .lineSeparator), (_, .paragraphSeparator), (_, .unassigned): "\u{FFFD}"
        default: self
        }
    }
}
