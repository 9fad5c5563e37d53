// Queries as literals with interpolations: `Query("items<node=\(node)>")`.
//
// Here a literal only becomes text, slots and values; QueryTemplate.swift compiles it.

import QuerySyntax

/// A literal with interpolations, whose values are never read as a part of the query.
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
/// `String`. Write such a literal alone, or with `as InterpolatedQuery`; `stanza lint` finds them in calls.
public struct InterpolatedQuery: Sendable, ExpressibleByStringInterpolation {
    let text: QueryText
    let values: [QueryArgumentValue]

    public init(stringLiteral text: String) {
        self.text = QueryText(text)
        values = []
    }

    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        values = stringInterpolation.values
    }

    /// The pieces of a literal.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var text = QueryText()
        fileprivate var values: [QueryArgumentValue] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            values.reserveCapacity(interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) {
            text.append(literal)
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

extension Query {
    /// Compiles a literal, once for all values, and binds its interpolated values.
    ///
    /// - Throws: `QueryError` with all mistakes in the text (rule 7.1).
    public init(_ literal: InterpolatedQuery, options: QueryOptions = []) throws(QueryError) {
        if literal.text.slots.isEmpty {
            try self.init(text: literal.text.source, options: options)
        } else {
            let template = try TemplateCache.template(literal.text, options: options)
            self = try template.query(binding: literal.values)
        }
    }
}
