// Text from bytes that may not be UTF-8.

extension String {
    /// The text of the bytes; `nil` if they are not UTF-8. `String(validating:as:)` needs newer systems.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        let text = bytes.withContiguousStorageIfAvailable(validText) ?? Array(bytes).withUnsafeBufferPointer(validText)
        guard let text else { return nil }
        self = text
    }
}

/// Not generic: other modules get no specialized form.
private func validText(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    var text = String(decoding: bytes, as: UTF8.self)
    // Wrong bytes are replaced by others.
    return text.withUTF8 { $0.elementsEqual(bytes) } ? text : nil
}
