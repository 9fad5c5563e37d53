// A query's text with slots, made from a literal with interpolations. It does not know the language; ParsedQuery.swift
// reads it.

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
    public init(_ text: String = "") {
        source = text
    }

    /// A text that was taken apart.
    package init(shownAs source: String, slots: [SourceRange]) {
        self.source = source
        self.slots = slots
    }

    /// Adds a piece of the query.
    public mutating func append(_ text: String) {
        source += text
    }

    /// Adds a slot.
    ///
    /// - Parameter name: The slot's name in messages. It has no other meaning.
    public mutating func appendSlot(named name: String = "…") {
        let start = source.utf8.count
        source += "\\(\(name))"
        slots.append(start..<source.utf8.count)
    }
}

extension QueryText: Hashable {
    /// Texts are equal when their slots are in the same places, and they are equal code point by code point.
    public static func == (left: QueryText, right: QueryText) -> Bool {
        left.slots == right.slots && left.source.utf8.elementsEqual(right.source.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(slots)
        var source = source
        source.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
