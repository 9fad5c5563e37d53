// The one type for all mistakes in a query, one case each: from the lexer, the parser, the compiler and the run.
// Diagnostic+Text.swift has the texts and draws the caret.

/// A mistake in a query, and its place.
///
/// ```text
/// error: unknown conversion 'integer'
///   {urn:xmpp:mam:2}fin@count|integer
///                             ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
///   did you mean '|int'?
/// ```
public struct Diagnostic: Error, Hashable, Sendable {
    /// The kinds of mistakes. The raw value is the kind's name in conformance suites, which have no `resultType`.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case syntax
        case unknownConversion
        case misplacedConversion
        case misplacedExtraction
        case invalidRegex
        case arguments
        case regexLimit
        case resultType
    }

    /// The mistake, with the values that its text needs.
    public let problem: Problem
    /// Where, in UTF-8 offsets (7.2). Empty at the end of the query.
    public let range: SourceRange
    /// The obvious repair, if one exists.
    public let fix: Fix?

    package init(_ problem: Problem, at range: SourceRange, fix: Fix? = nil) {
        self.problem = problem
        self.range = range
        self.fix = fix
    }

    /// The kind of mistake.
    public var kind: Kind { problem.kind }

    /// The repaired text, as it appears after "did you mean".
    public var repair: String? { fix?.shown }
}

extension Diagnostic {
    /// A change of the query that repairs a mistake.
    public struct Fix: Hashable, Sendable {
        /// The range to replace, in UTF-8 offsets of the query; empty: an insertion.
        public let range: SourceRange
        /// The replacement.
        public let replacement: String
        /// As much of the repaired query as shows the repair.
        public let shown: String

        /// The query with the change; `nil` if the query is too short for it.
        func applied(to query: String) -> String? {
            var bytes = Array(query.utf8)
            if range.upperBound > bytes.count { return nil }
            bytes.replaceSubrange(range, with: replacement.utf8)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// A kind of mistake in a query. `found` is the character that is not allowed there; nil at the end of the query.
    public enum Problem: Hashable, Sendable {
        // Syntax: the path.

        /// A character without a more specific problem.
        case unexpected(found: Unicode.Scalar?, expected: Expectation)
        /// `/`
        case loneSlash
        /// `a/`
        case trailingSlash
        /// `a//b`, `//a`
        case emptySegment
        /// `http://jabber.org/protocol/muc#user`, `urn:x}a`: a namespace without braces, or without the first one.
        case namespaceNeedsBraces
        /// `<a=b>`, `foo/<a=b>`, `../<a=b>@id`: filters of nothing.
        case filterNeedsName
        /// `$`, `foo/$`
        case nameExtractionNeedsName
        /// `|int`, `foo/|int`
        case conversionNeedsExtraction
        /// `!`, `!*`
        case negationNeedsName(found: Unicode.Scalar?)
        /// `!..`, `{ns}..`
        case parentIsNoName
        /// `..<a=b>`
        case parentTakesNoFilter
        /// `{}`
        case emptyBraces
        /// `@{*}name`
        case anyNamespaceOfAttribute
        /// `<>`, `<=value>`, `@`, `@{ns}`
        case attributeNeedsName(found: Unicode.Scalar?)

        // Syntax: filters, forms, conversions.

        /// `<name>`
        case filterNeedsCondition
        /// `a[@b='c']`, `a[b]`: a condition as XPath writes it.
        case conditionInBrackets
        /// `a[1]`: a position as XPath writes it.
        case positionInBrackets
        /// `text()`, `a/name()`
        case functionCall
        /// `a@b='c'`: a comparison of the extracted value.
        case comparisonNeedsFilter
        /// `<name=>`
        case emptyValue
        /// `<name~>`
        case emptyRegex
        /// `100%`, `%y`
        case invalidSpecifier(found: Unicode.Scalar?)
        /// `%1001d`: the digit that makes the number too large.
        case specifierNumberTooLarge
        /// `\@\`, `\&\`
        case formFieldNeedsName
        /// `\[]\`
        case formIndexNeedsDigits(found: Unicode.Scalar?)
        /// `a@b|`
        case emptyConversion
        /// A slot where none is allowed, such as in a regular expression or as a part of a name.
        case misplacedSlot
        /// `%d` in a query whose arguments are slots.
        case specifierAmongSlots

        // Mistakes that the grammar allows, and the rest of the query does not.

        /// A conversion that the language does not know.
        case unknownConversion(name: String)
        /// A conversion of something that is not a text.
        case misplacedConversion(of: Unconvertible)
        /// `a@b/c`: an extraction before the last segment.
        case extractionBeforeEnd
        /// `..@id`
        case extractionOfParent

        // Found by the engine: when the query is compiled, and when it runs.

        /// PCRE2's message, and its offset inside the pattern.
        case invalidRegex(message: String, offset: Int)
        /// A specifier without an argument.
        case missingArgument(specifier: FormatSpecifier)
        /// More arguments than specifiers.
        case tooManyArguments(expected: Int, given: Int)
        /// Arguments for a query that was bound to all of its arguments before.
        case argumentsAreBound(given: Int)
        /// An argument that the specifier cannot print; `given` is the argument's kind, as the message names it.
        case argumentMismatch(specifier: FormatSpecifier, given: String)
        /// A match that ran past its limits (3.8).
        case regexLimit
        /// A type of results that does not take the results of the query, with the name of their kind, and the names of
        /// the kinds that the type takes.
        case resultType(String, of: String, accepted: [String])

        /// The text that the parser expected instead, in words.
        public enum Expectation: String, Sendable {
            case segment = "a segment: a name, '*', '{namespace}name', '..' or an extraction"
            /// The text after a name, `*`, or filters.
            case segmentRest = "'<', '@', '#', '$', '\\', '/' or the end of the query"
            /// The text after `{namespace}`.
            case nameOrRest = "a name, '<', '@', '#', '$', '\\', '/' or the end of the query"
            /// The text after `..`.
            case parentRest = "'/' or the end of the query"
            /// The text after an extraction that can have a conversion.
            case convertibleRest = "'|' and a conversion, or the end of the query"
            /// The text after another extraction.
            case extractionRest = "the end of the query"
            case closingBrace = "'}'"
            case condition = "'=' and a value, or '~' and a regular expression"
            case filterEnd = "'>' at the end of the filter"
            case formRest = "a field, '@name' or '&name', or '\\' at the end of the form query"
            /// The end of an index.
            case closingBracket = "a digit or ']'"
        }

        /// A part of a query that a conversion cannot follow, in words.
        public enum Unconvertible: String, Sendable {
            case elements
            case parent = "'..'"
            case attributes = "all attributes"
            case form = "a form"
            case fieldDescription = "a field's description"
        }

        /// The kind under which suites and callers know the problem.
        public var kind: Diagnostic.Kind {
            switch self {
            case .unexpected, .loneSlash, .trailingSlash, .emptySegment, .namespaceNeedsBraces, .filterNeedsName,
                .nameExtractionNeedsName, .conversionNeedsExtraction, .negationNeedsName, .parentIsNoName,
                .parentTakesNoFilter, .emptyBraces, .anyNamespaceOfAttribute, .attributeNeedsName,
                .filterNeedsCondition, .conditionInBrackets, .positionInBrackets, .functionCall,
                .comparisonNeedsFilter, .emptyValue, .emptyRegex, .invalidSpecifier, .specifierNumberTooLarge,
                .formFieldNeedsName, .formIndexNeedsDigits, .emptyConversion, .misplacedSlot, .specifierAmongSlots:
                .syntax
            case .unknownConversion: .unknownConversion
            case .misplacedConversion: .misplacedConversion
            case .extractionBeforeEnd, .extractionOfParent: .misplacedExtraction
            case .invalidRegex: .invalidRegex
            case .missingArgument, .tooManyArguments, .argumentsAreBound, .argumentMismatch: .arguments
            case .regexLimit: .regexLimit
            case .resultType: .resultType
            }
        }
    }
}
