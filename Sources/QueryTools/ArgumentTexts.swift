// Arguments as texts: commands and the playground get them so.

import QuerySyntax
import StanzaQuery
import TextValues
import XMLTree

extension Query {
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

    /// A sign and digits, and nothing else.
    private func integer(_ text: String) -> QueryArgumentValue? {
        Int64(text).map { .integer($0) } ?? UInt64(text).map { .unsigned($0) }
    }

    /// A decimal number, as `|double` reads it when strict; no hexadecimal one, and neither infinity nor NaN.
    private func number(_ text: String) -> QueryArgumentValue? {
        text.withBytes { NumberText.double($0, isStrict: true) }.map { .floating($0) }
    }
}
