// Helpers for elements of connections.

import Foundation
import XMLTree

extension Element {
    func isNamed(_ name: String, _ namespace: String) -> Bool {
        self.name.utf8.elementsEqual(name.utf8) && (self.namespace ?? "").utf8.elementsEqual(namespace.utf8)
    }

    /// The bytes of the element in a client's stream.
    var streamBytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, in: .clientStream)
        return bytes
    }
}

/// Bytes in the form of SASL elements: base64, `=` for no bytes at all (RFC 6120 §6.4.2).
enum SASLText {
    static func encode(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "=" : Data(bytes).base64EncodedString() }

    /// `nil` for text that is not base64.
    static func decode(_ text: String?) -> [UInt8]? {
        guard let text, !text.isEmpty, text != "=" else { return [] }
        return Data(base64Encoded: text).map { Array($0) }
    }
}
