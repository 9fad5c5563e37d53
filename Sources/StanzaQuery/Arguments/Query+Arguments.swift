// Answers questions about a query's arguments without an evaluation: their purpose, whether they fit, and which texts
// fit.

import QuerySyntax

extension Query {
    /// The specifiers of the query's arguments, in order.
    package var specifiers: [FormatSpecifier] { arguments.isEmpty ? compiled.specifiers : [] }

    /// Turns texts into arguments; the specifiers decide their types.
    ///
    /// A text stays a text if it is not a value of its specifier's type, and so does one too many. `checkArguments`
    /// then reports the mistake, with its place in the query.
    package func arguments(from texts: [String]) -> [QueryArgumentValue] {
        let specifiers = specifiers
        return texts.enumerated().map { index, text in
            index < specifiers.count ? specifiers[index].argument(from: text) : .text(text)
        }
    }

    /// Finds wrong arguments, even without an element to evaluate the query on.
    ///
    /// - Throws: `QueryError` for arguments that do not fit (6.3).
    package func checkArguments(_ arguments: [QueryArgumentValue]) throws(QueryError) {
        if let error = compiled.error { throw error }
        if !self.arguments.isEmpty {
            if !arguments.isEmpty { throw QueryError(compiled, .argumentsAreBound(given: arguments.count)) }
            return
        }
        try withValues(of: arguments) { values throws(QueryError) in
            try ArgumentValues.bind(values, for: compiled) { _ throws(QueryError) in }
        }
    }
}

extension Program {
    /// The specifiers of the query's arguments, in order.
    var specifiers: [FormatSpecifier] { values.compactMap(\.specifier) }

    /// The query with its bound arguments, which may be none, as constants.
    @usableFromInline
    func bound(to arguments: [QueryArgumentValue]) throws(QueryError) -> Program {
        arguments.isEmpty ? self : try binding(arguments)
    }

    /// The query with arguments as constants: it takes none then.
    ///
    /// - Parameters:
    ///   - arguments: One for each specifier.
    ///   - slotValues: The values of its slots, if these arguments are the slots' values.
    /// - Throws: `QueryError` for arguments that do not fit (6.3).
    func binding(
        _ arguments: [QueryArgumentValue], slotValues: [QueryArgumentValue]? = nil
    ) throws(QueryError) -> Program {
        if let error { throw error }
        return try withValues(of: arguments) { arguments throws(QueryError) in
            try ArgumentValues.bind(arguments, for: self) { values throws(QueryError) in
                var parts = parts
                parts.bind(values)
                return with(parts, slotValues: slotValues)
            }
        }
    }
}

extension FormatSpecifier {
    fileprivate func argument(from text: String) -> QueryArgumentValue {
        switch conversion {
        case .any, .string: .text(text)
        case .decimal, .integer, .unsigned, .hexadecimal, .upperHexadecimal, .octal: integer(text) ?? .text(text)
        // One character is itself, even if it is a digit; a longer number is a code point.
        case .character: text.unicodeScalars.count == 1 ? .text(text) : integer(text) ?? .text(text)
        case .fixed, .exponent, .general: number(text) ?? .text(text)
        }
    }

    private func integer(_ text: String) -> QueryArgumentValue? {
        text.withBytes(NumberConversion.argument)
    }

    /// A decimal number, as `|double` reads it when strict; no hexadecimal one, and neither infinity nor NaN.
    private func number(_ text: String) -> QueryArgumentValue? {
        text.withBytes { NumberConversion.double($0, isStrict: true) }.map { .floating($0) }
    }
}
