// The text of SASL elements, and of the attributes in SCRAM's messages.

import Foundation
import TextValues

/// Bytes in the form of SASL elements: base64, `=` for no bytes at all (RFC 6120 §6.4.2).
enum SASLText {
    static func encode(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "=" : Data(bytes).base64EncodedString() }

    /// `nil` for text that is not base64.
    static func decode(_ text: String?) -> [UInt8]? {
        guard let text, !text.isEmpty, text != "=" else { return [] }
        return base64(text[...])
    }

    /// The bytes of base64 with exactly its padding and without white space (RFC 4648 §3); `nil` for other text.
    static func base64(_ text: Substring) -> [UInt8]? {
        var text = text
        guard let bytes = text.withUTF8({ Base64Text.decode($0, isStrict: true) }) else { return nil }
        // The reader ignores white space, which makes a text longer.
        return text.utf8.count == (bytes.count + 2) / 3 * 4 ? bytes : nil
    }
}
