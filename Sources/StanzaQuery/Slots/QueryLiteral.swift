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
/// `find`, `findFirst`, `check` and ``QuerySet`` take literals, and no `String`: `check("/<from=" + sender + ">")` does
/// not compile. A text that the program makes becomes a query by `Query(text)`, which reads all of it. A literal beside
/// a `String` is a `String` there, too: in `Query(flag ? "a<b=\(value)>" : text)` and `Query(text ?? "a<b=\(value)>")`.
/// Write such a literal alone; `stanza lint` finds them.
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
        func compiled(_ options: QueryOptions) throws(QueryError) -> (Program, [QueryArgumentValue]) {
            try compiledTemplate(text, options: options).binding(values)
        }
    }

    /// The pieces of a literal.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var text = QueryText()
        fileprivate var values: [QueryArgumentValue] = []

        public init(literalCapacity: Int, interpolationCount: Int) { values.reserveCapacity(interpolationCount) }

        public mutating func appendLiteral(_ literal: StaticString) { append(text: literal.description) }

        /// Adds text that is known at run time only, for code that reads literals itself.
        package mutating func append(text: String) { self.text.append(text) }

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
        public mutating func appendInterpolation<Value>(_ value: Value) { appendDescription(of: value) }

        /// Adds any other value through its description, or a text where there is none. Without this, too, the literal
        /// would be a `String`.
        @available(
            *, deprecated,
            message: "holds no QueryArgument: write how it is compared, as with map { String(describing: $0) }"
        )
        public mutating func appendInterpolation<Value>(
            _ value: Value?, default text: @autoclosure () -> some StringProtocol
        ) {
            if let value { appendDescription(of: value) } else { appendInterpolation(String(text())) }
        }

        mutating func appendDescription(of value: Any) { appendInterpolation(String(describing: value)) }
    }
}

extension Program {
    package static func compile(_ source: String, _ options: QueryOptions = []) throws(QueryError) -> Program {
        try Compiler.compile(source, options.compiled).program
    }

    /// The compiled form of a literal, with its interpolated values.
    static func compile(_ literal: QueryLiteral, _ options: QueryOptions) throws(QueryError) -> Program {
        guard let parts = literal.parts else {
            return try compiledLiteral(literal.plain, options).takeUnretainedValue()
        }
        // The values become constants: a query that is kept is evaluated often.
        return try compiledTemplate(parts.text, options: options).query(binding: parts.values)
    }
}
