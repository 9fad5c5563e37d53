// The text of SASL elements.

import Foundation

/// Bytes in the form of SASL elements: base64, `=` for no bytes at all (RFC 6120 §6.4.2).
enum SASLText {
    static func encode(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "=" : Data(bytes).base64EncodedString() }

    /// `nil` for text that is not base64.
    static func decode(_ text: String?) -> [UInt8]? {
        guard let text, !text.isEmpty, text != "=" else { return [] }
        return Data(base64Encoded: text).map { Array($0) }
    }
}
