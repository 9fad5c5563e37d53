// Bytes that are UTF-8, and others.

import SafeText
import Testing

@Suite struct ValidUTF8Tests {
    @Test(arguments: ["", "a", "\u{0}", "\u{E9}\u{20AC}\u{1F600}", "\u{FFFD}", "e\u{301}\r\n"]) func text(text: String)
    {
        #expect(String(validUTF8: Array(text.utf8)).map { Array($0.utf8) } == Array(text.utf8))
        #expect(String(validUTF8: text.utf8.lazy.map(\.self)).map { Array($0.utf8) } == Array(text.utf8))
    }

    /// Cut, overlong, a surrogate, beyond Unicode, and a byte that continues nothing.
    @Test(
        arguments: [
            [0xC3], [0xE2, 0x82], [0x61, 0xF0, 0x9F, 0x98], [0xC0, 0x80], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0x80], [0xEF, 0xBF, 0xBD, 0xFF],
        ] as [[UInt8]]) func otherBytes(bytes: [UInt8])
    {
        #expect(String(validUTF8: bytes) == nil)
    }
}
