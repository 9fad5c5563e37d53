// Escapes texts in outlines, listings, explanations and traces: they stay on one line, and different texts look
// different.
//
// Drawings of mistakes point at columns, so QuerySyntax replaces each character by one character instead.

import SafeText

/// A text with `\u{200B}` and the like for invisible scalars: it holds nothing that a terminal would obey. Two texts
/// that differ only in an invisible scalar look different.
///
/// It doubles only a backslash before such an escape, or before a text that looks like one. So regular expressions stay
/// unchanged, and the result is unambiguous.
package func escapedText(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8.backslash }) { return text }
    var seen = SeenScalars()
    // The number of backslashes at the end of the output.
    var backslashes = 0
    return text.rewritten { scalar, rest, bytes in
        let isSeen = seen.shows(scalar)
        if scalar == "\\" {
            backslashes += 1
            return false
        }
        let looksEscaped = scalar == "u" && rest.first == UInt8(ascii: "{")
        if !isSeen || looksEscaped { bytes.append(contentsOf: repeatElement(.backslash, count: backslashes)) }
        backslashes = 0
        if !isSeen { bytes.append(contentsOf: scalar.escape.utf8) }
        return !isSeen
    }
}

/// A text between quotes, in which a backslash precedes each quote and backslash; `escapedText` defines how it escapes
/// invisible scalars.
package func quotedText(_ text: String) -> String {
    var seen = SeenScalars()
    let escaped = text.rewritten { scalar, _, bytes in
        let isSeen = seen.shows(scalar)
        switch scalar {
        case "\\", "\"":
            bytes.append(.backslash)
            return false
        case "\n": bytes.append(contentsOf: "\\n".utf8)
        case "\r": bytes.append(contentsOf: "\\r".utf8)
        case "\t": bytes.append(contentsOf: "\\t".utf8)
        default:
            if !isSeen { bytes.append(contentsOf: scalar.escape.utf8) }
            return !isSeen
        }
        return true
    }
    return "\"\(escaped)\""
}

extension UInt8 {
    fileprivate static var backslash: UInt8 { UInt8(ascii: "\\") }
}

extension String {
    /// The text with other text for some scalars, which `replace` returns: `append(_:stoppingAt:replacing:)`.
    fileprivate func rewritten(
        _ replace: (Unicode.Scalar, Slice<UnsafeBufferPointer<UInt8>>, inout [UInt8]) -> Bool
    ) -> String {
        var text = self
        var bytes: [UInt8] = []
        text.withUTF8 { bytes.append($0, stoppingAt: { _ in true }, replacing: replace) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Decides for each scalar of a text, in order, whether it is visible: by itself, or as a mark of the letter before it.
///
/// Texts that differ must not look the same. So of texts that Unicode calls equal, one is visible and the others are
/// not: visible text is in normal form C. `\u{E9}` is visible, and the mark of `e\u{301}` is not. In Devanagari, where
/// most letters with marks have no other form, the marks are visible.
private struct SeenScalars {
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
    fileprivate var escape: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }

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
