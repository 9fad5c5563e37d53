// The rules for characters that only some others allow (RFC 5892, appendix A).

/// Checks the characters of PRECIS's classes `CONTEXTJ` and `CONTEXTO`.
enum ContextRules {
    /// The first character that lacks the company it needs.
    static func firstFault(of text: some BidirectionalCollection<Unicode.Scalar>) -> Unicode.Scalar? {
        let scalars = Array(text)
        for (index, scalar) in scalars.enumerated() where scalar.precisClass == .contextual {
            if !isAllowed(scalar, at: index, in: scalars) { return scalar }
        }
        return nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, at index: Int, in text: [Unicode.Scalar]) -> Bool {
        let before = index > 0 ? text[index - 1] : nil
        let after = index + 1 < text.count ? text[index + 1] : nil
        switch scalar.value {
        // The zero width non-joiner, which may also separate letters that would join.
        case 0x200C: return before?.isVirama == true || isBetweenJoining(index, in: text)
        // The zero width joiner.
        case 0x200D: return before?.isVirama == true
        // The middle dot of Catalan.
        case 0xB7: return before == "l" && after == "l"
        // The Greek sign for numerals.
        case 0x375: return after?.isGreek == true
        // Geresh and gershayim.
        case 0x5F3, 0x5F4: return before?.isHebrew == true
        // The middle dot of Katakana.
        case 0x30FB: return text.contains(where: \.isJapanese)
        // Arabic digits of one kind exclude those of the other.
        case 0x660...0x669: return !text.contains { (0x6F0...0x6F9).contains($0.value) }
        default: return !text.contains { (0x660...0x669).contains($0.value) }
        }
    }

    private static func isBetweenJoining(_ index: Int, in text: [Unicode.Scalar]) -> Bool {
        guard let before = text[..<index].last(where: { !$0.isTransparent }),
            let after = text[(index + 1)...].first(where: { !$0.isTransparent })
        else { return false }
        return (JoiningType.dual.contains(before) || JoiningType.left.contains(before))
            && (JoiningType.dual.contains(after) || JoiningType.right.contains(after))
    }
}

extension Unicode.Scalar {
    fileprivate var isVirama: Bool { properties.canonicalCombiningClass == .virama }

    /// Whether letters join as if the character were absent.
    fileprivate var isTransparent: Bool {
        switch properties.generalCategory {
        // A mark of Adlam that is a letter otherwise.
        case .modifierLetter: value == 0x1E94B
        case .nonspacingMark, .enclosingMark: true
        case .format: !(0x600...0x605).contains(value) && ![0x6DD, 0x8E2, 0x200C, 0x200D].contains(value)
        default: false
        }
    }

    fileprivate var isGreek: Bool {
        switch value {
        case 0x370...0x373, 0x375...0x377, 0x37A...0x37D, 0x37F, 0x384, 0x386, 0x388...0x3E1, 0x3F0...0x3FF,
            0x1D26...0x1D2A, 0x1D5D...0x1D61, 0x1D66...0x1D6A, 0x1DBF, 0x1F00...0x1FFE, 0x2126, 0xAB65,
            0x10140...0x1018E, 0x101A0, 0x1D200...0x1D245:
            true
        default: false
        }
    }

    fileprivate var isHebrew: Bool { (0x591...0x5F4).contains(value) || (0xFB1D...0xFB4F).contains(value) }

    /// Whether the script is Hiragana, Katakana or Han.
    fileprivate var isJapanese: Bool {
        switch value {
        case 0x2E80...0x2FD5, 0x3005, 0x3007, 0x3021...0x3029, 0x3038...0x303B, 0x3041...0x3096, 0x309D...0x309F,
            0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF, 0x32D0...0x32FE, 0x3300...0x3357, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xF900...0xFAD9, 0xFF66...0xFF6F, 0xFF71...0xFF9D, 0x16FE2...0x16FE3, 0x16FF0...0x16FF1,
            0x1AFF0...0x1B167, 0x1F200, 0x20000...0x323AF:
            true
        default: false
        }
    }
}
