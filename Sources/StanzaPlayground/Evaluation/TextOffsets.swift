// Offsets of this package are UTF-8, those of a browser UTF-16. This file does not depend on queries or XML.

/// Converts UTF-8 offsets of a text to UTF-16 offsets. The initializer is linear in the text; a conversion takes
/// constant time.
struct TextOffsets {
    /// The number of UTF-16 code units before each byte's character; empty for an ASCII text, where both offsets are
    /// the same.
    private let units: [Int32]
    private let byteCount: Int

    init(_ text: String) {
        let bytes = text.utf8
        byteCount = bytes.count
        guard bytes.contains(where: { $0 >= 0x80 }) else {
            units = []
            return
        }
        var table: [Int32] = []
        table.reserveCapacity(byteCount + 1)
        var start: Int32 = 0
        var next: Int32 = 0
        for byte in bytes {
            // All but continuation bytes begin a character; those above U+FFFF are two units.
            if byte & 0xC0 != 0x80 {
                start = next
                next += byte >= 0xF0 ? 2 : 1
            }
            table.append(start)
        }
        table.append(next)
        units = table
    }

    /// The UTF-16 offset of a UTF-8 offset. An offset inside a character becomes the character's; an offset outside the
    /// text is clamped to it.
    subscript(offset: Int) -> Int {
        let offset = min(max(0, offset), byteCount)
        return units.isEmpty ? offset : Int(units[offset])
    }
}
