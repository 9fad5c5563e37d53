// A line of text during typing: bytes of a terminal in, text and cursor out. It draws nothing and does not use a
// terminal.

import SafeText

/// One line, and the effects of keys on it.
struct LineEditor {
    private(set) var text: [Character]
    /// The index of the character at the cursor.
    private(set) var cursor: Int
    private var pending = PendingKey()

    /// More than any typed line; a longer paste is cut off.
    static let maximumLength = 4096

    /// The effect of a byte.
    enum Event: Equatable {
        /// The key is not complete, or means nothing.
        case nothing
        /// Text or cursor changed.
        case changed
        /// The user accepts the line.
        case accepted
        /// Ctrl-C, or Ctrl-D on an empty line: the user gives up.
        case canceled
    }

    init(_ text: String = "") {
        self.text = Array(text)
        cursor = self.text.count
    }

    var line: String { String(text) }

    mutating func type(_ byte: UInt8) -> Event {
        guard let key = pending.add(byte) else { return .nothing }
        switch key {
        case .character(let scalar): return insert(scalar)
        case .enter: return .accepted
        case .interrupt: return .canceled
        case .endOfFile: return text.isEmpty ? .canceled : delete(cursor..<min(cursor + 1, text.count))
        case .backspace: return delete(max(cursor - 1, 0)..<cursor)
        case .delete: return delete(cursor..<min(cursor + 1, text.count))
        case .killLine: return delete(0..<cursor)
        case .killRest: return delete(cursor..<text.count)
        case .killWord: return delete(startOfWord..<cursor)
        case .left: return move(to: cursor - 1)
        case .right: return move(to: cursor + 1)
        case .home: return move(to: 0)
        case .end: return move(to: text.count)
        case .unknown: return .nothing
        }
    }

    private mutating func insert(_ scalar: Unicode.Scalar) -> Event {
        guard text.count < Self.maximumLength else { return .nothing }
        // A mark joins the character before it.
        if cursor > 0, case let joined = String(text[cursor - 1]) + String(Character(scalar)), joined.count == 1 {
            text[cursor - 1] = Character(joined)
        } else {
            text.insert(Character(scalar), at: cursor)
            cursor += 1
        }
        return .changed
    }

    private mutating func delete(_ range: Range<Int>) -> Event {
        text.removeSubrange(range)
        cursor = range.lowerBound
        return .changed
    }

    private mutating func move(to place: Int) -> Event {
        cursor = min(max(place, 0), text.count)
        return .changed
    }

    private var startOfWord: Int {
        let trimmed = text[..<cursor].lastIndex { $0 != " " } ?? 0
        return text[..<trimmed].lastIndex(of: " ").map { $0 + 1 } ?? 0
    }
}

/// A key of a terminal.
enum Key: Equatable {
    case character(Unicode.Scalar)
    case enter, interrupt, endOfFile, backspace, delete, killLine, killRest, killWord, left, right, home, end, unknown
}

/// Bytes that may become a key: characters of several bytes, and the sequences of arrows and the like.
private struct PendingKey {
    private var bytes: [UInt8] = []

    /// No known sequence is longer; a longer one is dropped.
    private static let longestSequence = 8

    mutating func add(_ byte: UInt8) -> Key? {
        bytes.append(byte)
        let key = bytes[0] == 0x1B ? sequence : bytes[0] < 0x80 ? Self.control(byte) : character
        if key != nil { bytes.removeAll() }
        return key
    }

    private static func control(_ byte: UInt8) -> Key {
        switch byte {
        case 0x01: .home
        case 0x03: .interrupt
        case 0x04: .endOfFile
        case 0x05: .end
        case 0x08, 0x7F: .backspace
        case 0x0A, 0x0D: .enter
        case 0x0B: .killRest
        case 0x15: .killLine
        case 0x17: .killWord
        case 0x20...0x7E: .character(Unicode.Scalar(byte))
        default: .unknown
        }
    }

    private var character: Key? {
        let length = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : bytes[0] >= 0xC0 ? 2 : 1
        if bytes.count < length { return nil }
        guard let text = String(validUTF8: bytes), let scalar = text.unicodeScalars.first,
            scalar.properties.generalCategory != .control
        else { return .unknown }
        return .character(scalar)
    }

    private var sequence: Key? {
        guard bytes.count > 1 else { return nil }
        guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else { return .unknown }
        guard bytes.count > 2, let last = bytes.last, (0x40...0x7E).contains(last) else {
            return bytes.count >= Self.longestSequence ? .unknown : nil
        }
        switch String(decoding: bytes.dropFirst(2), as: UTF8.self) {
        case "D": return .left
        case "C": return .right
        case "H", "1~", "7~": return .home
        case "F", "4~", "8~": return .end
        case "3~": return .delete
        default: return .unknown
        }
    }
}
