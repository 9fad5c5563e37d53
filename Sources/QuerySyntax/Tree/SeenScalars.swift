// Decides which characters of a text are visible in their context. EscapedText.swift escapes the others.

/// Decides for each scalar of a text, in order, whether it is visible: by itself, or as a mark of the letter before it.
///
/// Texts that differ must not look the same. So of texts that Unicode calls equal, one is visible and the others are
/// not: visible text is in normal form C. `\u{E9}` is visible, and the mark of `e\u{301}` is not. In Devanagari, where
/// most letters with marks have no other form, the marks are visible.
struct SeenScalars {
    /// A letter, and the marks that are seen with it.
    private var cluster: [Unicode.Scalar] = []

    /// More marks on one letter would leave its line.
    private static let maximumMarks = 4

    /// Whether the next scalar is seen.
    mutating func shows(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isSeenAlone {
            cluster.removeAll(keepingCapacity: true)
            if scalar.isLetter { cluster.append(scalar) }
            return true
        }
        guard showsMark(scalar) else {
            cluster.removeAll(keepingCapacity: true)
            return false
        }
        cluster.append(scalar)
        return true
    }

    private func showsMark(_ mark: Unicode.Scalar) -> Bool {
        guard let letter = cluster.first, let last = cluster.last, cluster.count <= Self.maximumMarks, mark.isMark,
            // The same mark twice may be drawn in one place.
            mark != last,
            // Letters such as 'i' lose their own dot under another one.
            mark != "\u{307}" || !letter.properties.isSoftDotted
        else { return false }
        let order = mark.properties.canonicalCombiningClass.rawValue
        // The marks' normal order.
        if order != 0, order < last.properties.canonicalCombiningClass.rawValue { return false }
        // The letter has such marks in itself, so the order may not be the normal one.
        if order >= Self.firstGenericClass, letter.mayHoldGenericMarks { return false }
        return !cluster.contains { Composition.exists(of: $0, mark) }
    }

    /// The marks below, above and beside any letter begin at this class; those before belong to one script.
    private static let firstGenericClass: UInt8 = 200
}

/// Characters that are equal to a letter or a mark and another mark after it.
private enum Composition {
    /// All that may be one; strings are equal here as Unicode defines it.
    private static let characters: Set<String> = {
        // Unicode composes letters and marks only here and in Korean syllables.
        let values = [0xC0..<0x3100, 0x10000..<0x17000].joined()
        let scalars = values.compactMap { Unicode.Scalar(UInt32($0)) }.filter { $0.isLetter || $0.isMark }
        // Normal form C has no others.
        return Set(scalars.filter { !$0.properties.isFullCompositionExclusion }.map(String.init))
    }()

    static func exists(of first: Unicode.Scalar, _ mark: Unicode.Scalar) -> Bool {
        characters.contains(String(String.UnicodeScalarView([first, mark])))
    }
}

extension Unicode.Scalar {
    /// Whether it is visible by itself, in any context. Of spaces only the usual one is. The inner letters of Korean
    /// syllables join the letter before them, and a single character can look the same. A variation selector, such as
    /// U+FE0F, often changes nothing. Text outside normal form C looks like text in it.
    fileprivate var isSeenAlone: Bool {
        switch value {
        case 0x20..<0x7F: return true
        // Letters that join, and a picture of Braille without dots.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF, 0x2800: return false
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark,
            .spacingMark, .privateUse, .surrogate, .unassigned:
            return false
        default: return !properties.isDefaultIgnorableCodePoint && !properties.isFullCompositionExclusion
        }
    }

    fileprivate var isLetter: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    /// Whether it combines with the scalar before it, and may be visible there.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark:
            !properties.isDefaultIgnorableCodePoint && !properties.isFullCompositionExclusion
        default: false
        }
    }

    /// Whether it is in one of the blocks that have letters composed with marks of any script: Latin, Greek, Cyrillic
    /// and Arabic ones.
    fileprivate var mayHoldGenericMarks: Bool {
        switch value {
        case 0xC0...0x24F, 0x370...0x52F, 0x620...0x6FF, 0x1E00...0x1FFF: true
        default: false
        }
    }
}
