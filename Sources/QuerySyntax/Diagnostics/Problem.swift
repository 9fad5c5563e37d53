// Every mistake that a query can contain, one case each. The words for them are in Diagnostic+Text.swift.

/// What is wrong with a query. `found` is the character that cannot stand there; nil at the end of the query.
public enum Problem: Hashable, Sendable {
    // Syntax: the path.

    /// A character that nothing more particular can be said about.
    case unexpected(found: Unicode.Scalar?, expected: Expectation)
    /// `/`
    case loneSlash
    /// `a/`
    case trailingSlash
    /// `a//b`, `//a`
    case emptySegment
    /// `http://jabber.org/protocol/muc#user`, `urn:x}a`: a namespace of which the braces, or the first, are missing.
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
    /// `a@b='c'`: a comparison of what is extracted.
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
    /// A slot where none may stand: in a regular expression, as a part of a name, ….
    case misplacedSlot
    /// `%d` in a query whose arguments are slots.
    case specifierAmongSlots

    // What the grammar allows, and the rest of the query does not.

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
    /// An argument that the specifier cannot print; `given` names it for a reader.
    case argumentMismatch(specifier: FormatSpecifier, given: String)
    /// A match that ran past its limits (3.8).
    case regexLimit

    /// What may stand where something else was found.
    public enum Expectation: Hashable, Sendable {
        /// A segment, at its beginning.
        case segment
        /// What follows a name, `*`, or filters.
        case segmentRest
        /// A name after `{namespace}`.
        case nameOrRest
        /// What follows `..`.
        case parentRest
        /// What follows an extraction; a conversion, if it can have one.
        case extractionRest(convertible: Bool)
        /// The `}` of a namespace.
        case closingBrace
        /// `=` or `~`.
        case condition
        /// The `>` of a filter.
        case filterEnd
        /// The next part of a form query, or its end.
        case formRest
        /// The `]` of an index.
        case closingBracket
    }

    /// What a conversion cannot follow.
    public enum Unconvertible: Hashable, Sendable {
        case elements
        case parent
        case attributes
        case form
        case fieldDescription
    }

    /// The kind under which suites and callers know the problem.
    public var kind: Diagnostic.Kind {
        switch self {
        case .unexpected, .loneSlash, .trailingSlash, .emptySegment, .namespaceNeedsBraces, .filterNeedsName,
            .nameExtractionNeedsName, .conversionNeedsExtraction, .negationNeedsName, .parentIsNoName,
            .parentTakesNoFilter, .emptyBraces, .anyNamespaceOfAttribute, .attributeNeedsName, .filterNeedsCondition,
            .conditionInBrackets, .positionInBrackets, .functionCall, .comparisonNeedsFilter, .emptyValue, .emptyRegex,
            .invalidSpecifier, .specifierNumberTooLarge, .formFieldNeedsName,
            .formIndexNeedsDigits, .emptyConversion, .misplacedSlot, .specifierAmongSlots:
            .syntax
        case .unknownConversion: .unknownConversion
        case .misplacedConversion: .misplacedConversion
        case .extractionBeforeEnd, .extractionOfParent: .misplacedExtraction
        case .invalidRegex: .invalidRegex
        case .missingArgument, .tooManyArguments, .argumentMismatch: .arguments
        case .regexLimit: .regexLimit
        }
    }
}
