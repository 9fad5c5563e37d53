// The documented differences between RFC 7622 and its predecessor RFC 6122, whose rules (stringprep) servers still
// have. The article *How addresses are prepared* lists them for readers.

import Foundation
import XMPPCore

/// A reason why both may prepare a part in different ways.
enum StringprepDifference: String, CaseIterable {
    case folding = "stringprep folds: \u{DF} to ss, the final sigma to the other one"
    case compatibility = "stringprep replaces characters by compatible ones; RFC 7622 refuses or keeps them"
    case symbols = "stringprep allows symbols and punctuation beyond ASCII in localparts"
    case invisible = "stringprep removes invisible characters; RFC 7622 refuses or keeps them"
    case newCharacters = "stringprep has no rules for characters that are newer than Unicode 3.2"
    case direction = "stringprep's rule for right-to-left texts is another one, and covers resources"
    case context = "RFC 7622 allows some characters beside certain others only"
    case refusedLetters = "RFC 7622 refuses conjoining jamo, tatweel and some signs"
    case spaces = "stringprep refuses spaces without a compatible one"
    case domains = "stringprep does not check labels, and keeps Punycode"

    /// The differences that may matter to a localpart or a resource.
    static func all(in part: String, isLocalpart: Bool) -> Set<Self> {
        Set(part.unicodeScalars.flatMap { scalar in allCases.filter { $0.concerns(scalar, isLocalpart: isLocalpart) } })
    }

    private func concerns(_ scalar: Unicode.Scalar, isLocalpart: Bool) -> Bool {
        let properties = scalar.properties
        let compatible = String(scalar).precomposedStringWithCompatibilityMapping
        let isSpace = properties.generalCategory == .spaceSeparator
        switch self {
        case .folding:
            return isLocalpart
                && (scalar == "\u{3A3}" || properties.uppercaseMapping.lowercased() != properties.lowercaseMapping)
        case .compatibility:
            let isWidth = isLocalpart && (0xFF00...0xFFEF).contains(scalar.value)
            return !compatible.utf8.elementsEqual(String(scalar).utf8) && !isWidth && !(isSpace && compatible == " ")
        case .symbols:
            guard isLocalpart, !scalar.isASCII else { return false }
            switch properties.generalCategory {
            case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
                .spacingMark:
                return false
            default: return true
            }
        case .invisible: return properties.isDefaultIgnorableCodePoint || scalar.value == 0x1806
        case .newCharacters:
            return (properties.lowercaseMapping.unicodeScalars + [scalar]).contains { other in
                guard let age = other.properties.age else { return true }
                return (age.major, age.minor) > (3, 2)
            }
        case .direction:
            return (0x590...0x8FF).contains(scalar.value) || (0x10800...0x10FFF).contains(scalar.value)
                || (0x1E800...0x1EFFF).contains(scalar.value)
        case .context: return [0xB7, 0x375, 0x30FB].contains(scalar.value)
        case .refusedLetters:
            return (0x1100...0x11FF).contains(scalar.value) || (0xFFA0...0xFFDC).contains(scalar.value)
                || (0x302E...0x3035).contains(scalar.value) || scalar.value == 0x303B
        case .spaces: return isSpace && compatible != " "
        case .domains: return false
        }
    }
}
