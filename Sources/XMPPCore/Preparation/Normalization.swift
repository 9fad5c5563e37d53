// Unicode's normalization forms, by Foundation: the standard library has them for its own use only.

import Foundation

extension String {
    /// The text in normalization form C.
    var canonicallyComposed: String {
        // Form C keeps the characters before U+0300, the first combining one, whose UTF-8 begins with this byte.
        utf8.allSatisfy { $0 < 0xCC } ? self : precomposedStringWithCanonicalMapping
    }
}

extension StringProtocol {
    /// The first scalar that normalization form KC replaces: PRECIS's category `HasCompat` (RFC 8264 §9.17).
    var firstScalarWithCompatibilityMapping: Unicode.Scalar? {
        if precomposedStringWithCompatibilityMapping.utf8.elementsEqual(utf8) { return nil }
        return unicodeScalars.first { scalar in
            let text = String(scalar)
            return !text.precomposedStringWithCompatibilityMapping.utf8.elementsEqual(text.utf8)
        }
    }
}

extension Unicode.Scalar {
    /// The scalar that a fullwidth or halfwidth one represents (RFC 8264 §5.2.1).
    var narrowed: Unicode.Scalar {
        // Those of ASCII have its order.
        if (0xFF01...0xFF5E).contains(value) { return Unicode.Scalar(UInt8(value - 0xFEE0)) }
        guard (0xFF5F...0xFFEE).contains(value) || value == 0x3000 else { return self }
        let mapped = String(self).precomposedStringWithCompatibilityMapping.unicodeScalars
        // The two that form KC maps to a sequence are forbidden in all forms.
        return mapped.count == 1 ? mapped.first ?? self : self
    }

    /// A space instead of any other character of spaces.
    var withoutSpecialSpace: Unicode.Scalar { properties.generalCategory == .spaceSeparator ? " " : self }
}
