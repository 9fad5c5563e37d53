// The entry point of the module: it reads a query's text into a tree and diagnostics, as text → Lexer → Parser →
// QueryTree + [Diagnostic]. It does not depend on XML trees, PCRE2 and arguments. Parser.swift begins with the grammar.

/// A half-open range of UTF-8 offsets in a query's source text.
public typealias SourceRange = Range<Int>

/// A query's text, read into a syntax tree.
///
/// Reading never fails: `diagnostics` has the mistakes, and `tree` then holds the understood parts.
///
/// ```swift
/// let query = ParsedQuery(parsing: "{urn:xmpp:mam:2}fin@count|integer")
/// let kind = query.diagnostics.first?.kind  // .unknownConversion
/// let range = query.diagnostics.first?.range  // 26..<33
/// let message = query.diagnostics.first?.rendered(in: query.source)
/// ```
///
/// The parser does not compile regular expressions. A compiler reports the leftmost of its own errors and of these. The
/// tree holds every complete filter to the left of the first error, so the compiler misses none.
public struct ParsedQuery: Sendable {
    /// The syntax tree; partial if `diagnostics` is not empty.
    public let tree: QueryTree
    /// All mistakes in the query, sorted by where they begin; at most `QueryLimits.diagnostics`. Empty: the text of the
    /// query has no mistake.
    public let diagnostics: [Diagnostic]

    /// Reads a query. The cost is linear in the length of the text, for any content.
    public init(parsing source: String) { self.init(source, slots: [], hasSlotsOnly: false) }

    /// Reads a query with slots, which are its only arguments: specifiers are mistakes. The cost is linear in the
    /// length of the text.
    public init(parsing text: QueryText) { self.init(text.source, slots: text.slots, hasSlotsOnly: true) }

    private init(_ source: String, slots: [SourceRange], hasSlotsOnly: Bool) {
        var (nodes, isRooted, diagnostics): ([QueryNode], Bool, [Diagnostic]) = ([], false, [])
        Parser.read(source, slots: slots, hasSlotsOnly: hasSlotsOnly) { parser in
            (nodes, isRooted, diagnostics) = (Array(parser.nodes.all), parser.isRooted, parser.diagnostics)
        }
        tree = QueryTree(source: source, slots: slots, isRooted: isRooted, nodes: nodes)
        self.diagnostics = diagnostics
    }

    /// The original text, with slots as messages show them.
    public var source: String { tree.source }

    /// The places of the slots; empty for a query that was given as a `String`.
    public var slots: [SourceRange] { tree.slots }

    /// The piece of the source that a range of the tree or of a diagnostic covers. The result excludes any part of the
    /// range outside of the source.
    public func text(in range: SourceRange) -> String { tree.text(in: range) }
}

/// The text of a query whose arguments are slots: places of values that are never read as a part of the query.
///
/// ```swift
/// var text = QueryText("items<node=")
/// text.appendSlot(named: "node")
/// text.append(">/item@id")
/// let query = ParsedQuery(parsing: text)
/// ```
///
/// A slot may be a whole filter value or a part of one, a namespace, the name of an element or an attribute, or the
/// name of a form field.
public struct QueryText: Sendable {
    /// The text as messages show it, with each slot as `\(name)`.
    public private(set) var source: String
    /// The places of the slots in `source`, in order.
    public private(set) var slots: [SourceRange] = []

    /// A text without slots so far.
    ///
    /// - Parameter text: The query's beginning.
    public init(_ text: String = "") { source = text }

    /// A text that was taken apart.
    package init(shownAs source: String, slots: [SourceRange]) {
        self.source = source
        self.slots = slots
    }

    /// Adds a piece of the query.
    public mutating func append(_ text: String) { source += text }

    /// Adds a slot.
    ///
    /// - Parameter name: The slot's name in messages. It has no other meaning.
    public mutating func appendSlot(named name: String = "…") {
        let start = source.utf8.count
        source += "\\(\(name))"
        slots.append(start..<source.utf8.count)
    }
}
