// The bytes of a text, for functions that take a buffer.

/// Calls the closure with the bytes of a text.
public func withBytes<Result>(
    _ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
) rethrows -> Result {
    try Array(text.utf8).withUnsafeBufferPointer(body)
}
