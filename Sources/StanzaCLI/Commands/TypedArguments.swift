// Arguments from the command line as values: the specifiers of the query decide their types.

import ArgumentParser
import QuerySyntax
import StanzaQuery

/// The option `--arg`, for every command that evaluates a query.
struct ArgumentOption: ParsableArguments {
    @Option(
        name: .customLong("arg"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The argument of the query's next specifier ('%@', '%d', …), which decides its type.", valueName: "value"))
    var texts: [String] = []
}

/// Turns texts into arguments for the specifiers of a query, in order.
///
/// A text that is no value of its specifier's type stays a text, and so does one too many: the engine then says what is
/// wrong, with the place in the query.
package func typedArguments(_ texts: [String], for query: Query) -> [QueryArgumentValue] {
    let specifiers = ParsedQuery(parsing: query.source).tree.specifiers
    return texts.enumerated().map { index, text in
        index < specifiers.count ? specifiers[index].argument(from: text) : .text(text)
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
        if let value = Int64(text) { return .integer(value) }
        return UInt64(text).map { .unsigned($0) }
    }

    private func number(_ text: String) -> QueryArgumentValue? {
        guard let value = Double(text), value.isFinite else { return nil }
        return .floating(value)
    }
}

extension QueryTree {
    /// All specifiers, in the order of the query.
    var specifiers: [FormatSpecifier] {
        segments.flatMap(\.filters).flatMap { filter -> [FormatSpecifier] in
            guard case .equals(let parts) = filter.condition else { return [] }
            return parts.compactMap { if case .specifier(let specifier) = $0 { specifier } else { nil } }
        }
    }
}
