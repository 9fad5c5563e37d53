// The classes of characters of PRECIS (RFC 8264 §8), from the properties that the standard library has.

/// The use of a character in identifiers and free text.
enum PrecisClass {
    /// Allowed everywhere.
    case identifier
    /// Allowed everywhere, beside certain characters: see `ContextRules`.
    case contextual
    /// Allowed in free text only.
    case freeform
    case disallowed

    var isOfIdentifiers: Bool { self == .identifier || self == .contextual }
}

extension Unicode.Scalar {
    /// The class without regard to `HasCompat`, which needs normalization and matters in identifiers only.
    var precisClass: PrecisClass {
        if isASCII { return (0x21...0x7E).contains(value) ? .identifier : value == 0x20 ? .freeform : .disallowed }
        if let exception = precisException { return exception }
        if isConjoiningJamo || properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint {
            return .disallowed
        }
        return switch properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            .identifier
        case .titlecaseLetter, .letterNumber, .otherNumber, .enclosingMark, .spaceSeparator, .mathSymbol,
            .currencySymbol, .modifierSymbol, .otherSymbol, .connectorPunctuation, .dashPunctuation,
            .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation:
            .freeform
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            .disallowed
        @unknown default: .disallowed
        }
    }

    /// The exceptions of RFC 5892 §2.6, and the joiners.
    private var precisException: PrecisClass? {
        switch value {
        case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: .identifier
        case 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x660...0x669, 0x6F0...0x6F9, 0x200C, 0x200D: .contextual
        case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: .disallowed
        default: nil
        }
    }

    /// `Hangul_Syllable_Type` L, V or T.
    private var isConjoiningJamo: Bool {
        switch value {
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: true
        default: false
        }
    }
}
