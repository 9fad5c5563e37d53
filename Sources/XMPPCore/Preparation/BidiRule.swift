// The rule for texts with letters that are written from right to left (RFC 5893 §2).
//
// The standard library has no bidirectional classes. For the characters of identifiers, they follow from the general
// category and the blocks that Unicode reserves for such scripts.

/// The class of a character of an identifier, as far as the rule distinguishes them.
private enum Direction {
    case left, right, digit, arabicDigit, mark, neutral
}

enum BidiRule {
    /// Whether a text has no letters of that direction, or satisfies the rule.
    static func isSatisfied(by text: some BidirectionalCollection<Unicode.Scalar>) -> Bool {
        !isNeeded(for: text) || isSatisfiedFromRightToLeft(text)
    }

    /// Whether a text has letters or digits of such a script.
    static func isNeeded(for text: some Sequence<Unicode.Scalar>) -> Bool {
        text.contains { scalar in
            scalar.value >= 0x590 && (scalar.direction == .right || scalar.direction == .arabicDigit)
        }
    }

    /// The rule for a label of a domain that has such letters in any label.
    static func isSatisfied(byLabel text: some BidirectionalCollection<Unicode.Scalar>) -> Bool {
        if isNeeded(for: text) { return isSatisfiedFromRightToLeft(text) }
        let last = text.last { $0.direction != .mark }?.direction
        return text.first?.direction == .left && (last == .left || last == .digit)
    }

    private static func isSatisfiedFromRightToLeft(_ text: some BidirectionalCollection<Unicode.Scalar>) -> Bool {
        let directions = text.map(\.direction)
        let last = directions.last { $0 != .mark }
        return directions.first == .right && !directions.contains(.left)
            && (last == .right || last == .digit || last == .arabicDigit)
            && !(directions.contains(.digit) && directions.contains(.arabicDigit))
    }
}

extension Unicode.Scalar {
    fileprivate var direction: Direction {
        switch value {
        case 0x30...0x39, 0x6F0...0x6F9: return .digit
        case 0..<0x41, 0x5B..<0x61, 0x7B..<0x80, 0xB7, 0x375: return .neutral
        case 0x660...0x669, 0x10D30...0x10D39: return .arabicDigit
        // Modifier letters without a direction.
        case 0x2B9, 0x2BA, 0x2C6...0x2CF, 0x2EC, 0x2E2F, 0xA67F, 0xA717...0xA71F, 0xA788: return .neutral
        // Marks that count as letters.
        case 0xCBF, 0xCC6, 0x11A07, 0x11A08, 0x11C3F: return .left
        // The joiners.
        case 0x200C, 0x200D: return .neutral
        case 0x30FB: return .neutral
        default: break
        }
        if properties.generalCategory == .nonspacingMark { return .mark }
        switch value {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: return .right
        default: return .left
        }
    }
}
