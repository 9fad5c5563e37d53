// Objective-C's messages: which of them have the selector `find:`, and whether code uses an object as a condition.

/// The brackets around a place of an Objective-C source.
struct MessageScope {
    private struct Bracket {
        let byte: UInt8
        /// Where its content begins.
        let start: Int
        /// Whether the first part of the selector has been passed.
        var hasSelector = false
        /// Whether its only content is a condition: parentheses of an `if`, a negated message, ….
        var isCondition = false
    }

    private var open: [Bracket] = []
    private var lastName = ""

    /// Whether the message around the place is a condition, if no operator follows it.
    var isCondition: Bool { open.last?.isCondition ?? false }

    /// Where the receiver of the message around the place begins.
    var receiverStart: Int { open.last?.start ?? 0 }

    /// Passes a name.
    ///
    /// - Parameter place: The place after it.
    /// - Returns: Whether it is the selector of a message, or the first part of one.
    mutating func pass(_ name: String, _ place: SourceCursor) -> Bool {
        lastName = name
        guard let last = open.last, last.byte == UInt8(ascii: "["), !last.hasSelector else { return false }
        var cursor = place
        cursor.skipSpace()
        // Two colons belong to C++.
        guard cursor.skip(":"), cursor.current != UInt8(ascii: ":") else { return false }
        open[open.count - 1].hasSelector = true
        return true
    }

    /// Passes a byte outside literals, names and comments.
    ///
    /// - Parameters:
    ///   - before: The last byte before it that is not white space; a letter for names.
    ///   - place: The place of the byte.
    mutating func pass(_ byte: UInt8, after before: UInt8?, _ place: SourceCursor) {
        let start = place.position + 1
        switch byte {
        case UInt8(ascii: "("):
            let isCondition = before == UInt8(ascii: "a") && (lastName == "if" || lastName == "while")
            open.append(Bracket(byte: byte, start: start, isCondition: isCondition))
        case UInt8(ascii: "["):
            open.append(
                Bracket(
                    byte: byte, start: start, hasSelector: before == UInt8(ascii: "@"),
                    isCondition: place.isBehindLogic || before == UInt8(ascii: "(") && isCondition))
        case UInt8(ascii: "{"): open.append(Bracket(byte: byte, start: start))
        case UInt8(ascii: ")"): if open.last?.byte == UInt8(ascii: "(") { open.removeLast() }
        case UInt8(ascii: "]"): if open.last?.byte == UInt8(ascii: "[") { open.removeLast() }
        case UInt8(ascii: "}"):
            // A preprocessor branch may have opened some of the others.
            while let last = open.popLast(), last.byte != UInt8(ascii: "{") {}
        default: break
        }
    }
}

extension SourceCursor {
    /// Whether `!`, `&&` or `||` precedes the place.
    fileprivate var isBehindLogic: Bool {
        var end = position
        while end > 0, Self.isSpace(bytes[end - 1]) { end -= 1 }
        guard end > 0 else { return false }
        let last = bytes[end - 1]
        if last == UInt8(ascii: "!") { return true }
        return (last == UInt8(ascii: "&") || last == UInt8(ascii: "|")) && end > 1 && bytes[end - 2] == last
    }

    /// Whether the message that ends with the bracket here is the whole operand: neither a comparison nor another
    /// message follows.
    var endsOperand: Bool {
        var cursor = self
        guard cursor.skip("]") else { return false }
        cursor.skipSpace()
        guard let byte = cursor.current else { return false }
        return ");,?}".utf8.contains(byte) || cursor.isAt("&&") || cursor.isAt("||")
    }
}
