// Queries as literals, with interpolations or without: `Query("items<node=\(node)>")`.
//
// Here a literal only becomes text, slots and values; QueryTemplate.swift compiles it.

import QuerySyntax

/// A literal with a query. The values of its interpolations are never read as a part of the query.
///
/// ```swift
/// let node = "urn:xmpp:avatar:metadata"
/// let items = try Query("{http://jabber.org/protocol/pubsub#event}event/items<node=\(node)>/item@id")
/// let id = try message.findFirst(items)?.string
/// ```
///
/// An interpolation may be a filter's value or a part of it, a namespace (`{\(namespace)}name`), the name of an element
/// or an attribute, or the name of a form field (`\\@\(field)\\`). Elsewhere it is an error, as is a format specifier
/// beside it. Its value is only compared: a name that no element can have matches nothing, and an empty namespace means
/// no namespace. A value is a ``QueryArgument``; the compiler warns of any other value, and the query compares its
/// description.
///
/// `find`, `findFirst`, `check` and ``QuerySet`` take such literals, too. A `String` is not an interpolated query:
/// `"a" + b`, or a literal before `as String`, is read as it is. A literal beside a `String` also becomes a `String`:
/// in `flag ? "a<b=\(value)>" : text`, in `text ?? "a<b=\(value)>"`, and among the elements of an array that holds a
/// `String`. Write such a literal alone, or with `as QueryLiteral`; `stanza lint` finds them in calls.
public struct QueryLiteral: Sendable, ExpressibleByStringInterpolation {
    /// A literal without interpolations: the cache finds its compiled form by its address, without an allocation.
    @usableFromInline let plain: StaticString
    /// The pieces of a literal with interpolations.
    @usableFromInline let parts: Parts?

    @inlinable
    public init(stringLiteral text: StaticString) {
        plain = text
        parts = nil
    }

    @inlinable
    public init(stringInterpolation: StringInterpolation) {
        plain = ""
        parts = Parts(stringInterpolation)
    }

    /// The text, with its slots.
    var text: QueryText { parts?.text ?? QueryText(plain.description) }

    /// The values of the slots.
    var values: [QueryArgumentValue] { parts?.values ?? [] }

    /// The text with its slots, and their values.
    @usableFromInline final class Parts: Sendable {
        let text: QueryText
        let values: [QueryArgumentValue]

        @usableFromInline
        init(_ pieces: StringInterpolation) {
            text = pieces.text
            values = pieces.values
        }

        /// The compiled query, with the values of its filters.
        @usableFromInline
        func compiled() throws(QueryError) -> (Program, [QueryArgumentValue]) {
            if text.slots.isEmpty { return (try compiledText(text.source), []) }
            return try compiledTemplate(text).binding(values)
        }
    }

    /// The pieces of a literal.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var text = QueryText()
        fileprivate var values: [QueryArgumentValue] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            values.reserveCapacity(interpolationCount)
        }

        public mutating func appendLiteral(_ literal: StaticString) {
            append(text: literal.description)
        }

        /// Adds text that is known at run time only, for code that reads literals itself.
        package mutating func append(text: String) {
            self.text.append(text)
        }

        /// Adds a value, as `%@` prints it (6.1).
        public mutating func appendInterpolation(_ value: some QueryArgument) {
            text.appendSlot()
            values.append(value.queryArgument)
        }

        /// Adds a value, or a text if it is missing.
        public mutating func appendInterpolation(
            _ value: (some QueryArgument)?, default text: @autoclosure () -> some StringProtocol
        ) {
            if let value { appendInterpolation(value) } else { appendInterpolation(String(text())) }
        }

        /// Adds a value of any of these types, or a text if it is missing.
        public mutating func appendInterpolation(
            _ value: (any QueryArgument)?, default text: @autoclosure () -> some StringProtocol
        ) {
            if let value { appendInterpolation(value) } else { appendInterpolation(String(text())) }
        }

        /// Adds any other value through its description. Without this, a literal that holds one would be a `String`,
        /// and the value a part of its text.
        @available(
            *, deprecated,
            message: "no QueryArgument: unwrap it, or write how it is compared, as with String(describing:)"
        )
        public mutating func appendInterpolation<Value>(_ value: Value) {
            appendDescription(of: value)
        }

        /// Adds any other value through its description, or a text where there is none. Without this, too, the literal
        /// would be a `String`.
        @available(
            *, deprecated,
            message: "holds no QueryArgument: write how it is compared, as with map { String(describing: $0) }"
        )
        public mutating func appendInterpolation<Value>(
            _ value: Value?, default text: @autoclosure () -> some StringProtocol
        ) {
            appendDescription(of: value, default: text())
        }

        mutating func appendDescription(of value: Any) {
            appendInterpolation(String(describing: value))
        }

        mutating func appendDescription<Value>(
            of value: Value?, default text: @autoclosure () -> some StringProtocol
        ) {
            if let value { appendDescription(of: value) } else { appendInterpolation(String(text())) }
        }
    }
}

extension Program {
    /// Compiles a literal, once for all values, and binds its interpolated values.
    static func compile(_ literal: QueryLiteral, options: QueryOptions) throws(QueryError) -> Program {
        let text = literal.text
        if text.slots.isEmpty { return try Program(text: text.source, options: options) }
        // The values become constants: a query that is kept is evaluated often.
        return try compiledTemplate(text, options: options).query(binding: literal.values)
    }
}
