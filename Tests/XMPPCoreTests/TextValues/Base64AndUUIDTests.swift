// Bytes and UUIDs as text. The suite of conversions has the cases of the language.

import Foundation
import TestSupport
import Testing
import TextValues

@Suite struct Base64AndUUIDTests {
    private func decoded(_ text: String, isStrict: Bool) -> [UInt8]? {
        var text = text
        return text.withUTF8 { utf8 in
            let bytes = Base64Text.decode(utf8, isStrict: isStrict)
            #expect(Base64Text.isValid(utf8, isStrict: isStrict) == (bytes != nil))
            return bytes
        }
    }

    private func uuid(_ text: String) -> UUID? {
        var text = text
        return text.withUTF8 { UUIDText.uuid($0) }
    }

    /// Each length of the last group, as Foundation encodes it, and all letters of the encoding.
    @Test func decoding() {
        let bytes = (0...255).map { UInt8(truncatingIfNeeded: $0 * 37) }
        for count in [0, 1, 2, 3, 4, 254, 255, 256] {
            let text = Data(bytes[..<count]).base64EncodedString(options: .lineLength64Characters)
            #expect(decoded(text, isStrict: true) == Array(bytes[..<count]))
            #expect(decoded(text, isStrict: false) == Array(bytes[..<count]))
        }
    }

    @Test(arguments: [
        "Q", "QQ", "QQ=", "QQ===", "Q===", "QUI", "QUI==", "QUJD=", "=", "====", "=QQ=", "QQ=Q", "QQ==QQ==",
    ])
    func wrongPadding(text: String) {
        #expect(decoded(text, isStrict: true) == nil && decoded(text, isStrict: false) == nil)
    }

    /// White space may be anywhere. Only a reader that is not strict ignores other characters.
    @Test func otherCharacters() {
        for space in [" ", "\t", "\n", "\u{B}", "\u{C}", "\r"] {
            #expect(decoded("Q\(space)Q=\(space)=", isStrict: true) == [0x41])
        }
        for other in ["-", "_", "*", "\0", "\u{8}", "\u{E}", "\u{7F}", "é", "@", "[", "`", "{", ",", "."] {
            #expect(decoded("Q\(other)Q==", isStrict: true) == nil)
            #expect(decoded("Q\(other)Q==", isStrict: false) == [0x41])
        }
    }

    @Test func uuids() {
        let text = "6ba7b810-9dad-11d1-80b4-00c04fd43AF9"
        #expect(uuid(text) == UUID(uuidString: text) && uuid(text.uppercased()) == UUID(uuidString: text))
        // Another length, a hyphen at another place, and characters beside those of numbers.
        for index in text.indices {
            for other in ["", "-", "+", "/", ":", "@", "G", "`", "g", "00"] where other != String(text[index]) {
                let wrong = text.replacingCharacters(in: index...index, with: other)
                #expect(uuid(wrong) == nil, "\(wrong)")
            }
        }
    }
}
