// Text from bytes that may not be UTF-8.

extension String {
    /// The text of the bytes; `nil` if they are not UTF-8. `String(validating:as:)` needs newer systems.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // What is wrong is replaced by other bytes.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
