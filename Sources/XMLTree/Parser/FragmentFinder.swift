// Finds where to go on after a bad fragment: the next line that begins with `<` and a name.

/// The state of the search, which may go over many pieces of input.
enum FragmentFinder: Equatable {
    case insideLine, atLineStart
    /// A line begins with '<'.
    case afterLessThan

    /// Goes on through `bytes`. Returns the index of a character that begins a name directly behind a '<' that begins
    /// a line; that '<' may have been the last of the bytes before.
    mutating func search(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        for index in bytes.indices {
            let byte = bytes[index]
            switch self {
            case _ where byte == .lineFeed: self = .atLineStart
            case .insideLine: break
            case .atLineStart: self = byte == .lessThan ? .afterLessThan : .insideLine
            case .afterLessThan:
                if Self.beginsName(byte) { return index }
                self = .insideLine
            }
        }
        return nil
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        default:
            false
        }
    }
}
