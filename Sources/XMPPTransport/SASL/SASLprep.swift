// Prepares passwords for SASL (RFC 4013), with the Unicode properties of the standard library.

import Foundation

/// Prepares a password.
///
/// It maps characters (RFC 3454 B.1, C.1.2), normalizes text (NFKC) and rejects prohibited characters, with today's
/// Unicode in place of version 3.2. It does not check the rule on right-to-left text: no server has a password that
/// breaks it.
enum SASLprep {
    static func prepare(_ text: String) throws(XMPPConnectionError) -> String {
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !isMappedToNothing(scalar) {
            mapped.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        let normalized = String(mapped).precomposedStringWithCompatibilityMapping
        guard !normalized.isEmpty, !normalized.unicodeScalars.contains(where: isProhibited) else {
            throw .invalidPassword
        }
        return normalized
    }

    /// RFC 3454 B.1: soft hyphen, joiners, variation selectors.
    private static func isMappedToNothing(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x34F, 0x1806, 0x180B...0x180D, 0x200B...0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF: true
        default: false
        }
    }

    /// RFC 3454 C.1.2 to C.9: control characters, private use, surrogates, non-characters, and characters that change
    /// the text around them.
    private static func isProhibited(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x340, 0x341, 0x6DD, 0x70F, 0x180E, 0x200E, 0x200F, 0x2028...0x202E, 0x2061...0x206F, 0x2FF0...0x2FFB,
            0xFFF9...0xFFFD, 0x1D173...0x1D17A, 0xE0001, 0xE0020...0xE007F:
            true
        default:
            switch scalar.properties.generalCategory {
            case .control, .privateUse, .surrogate: true
            case .spaceSeparator: scalar != " "
            default: scalar.properties.isNoncharacterCodePoint
            }
        }
    }
}
