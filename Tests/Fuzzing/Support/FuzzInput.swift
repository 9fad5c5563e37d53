// Reads one input of libFuzzer from its front: settings first, one byte each, then lines or the rest.
//
// All fuzzers use this reader, so that their seeds are short text files.

/// The bytes of one run.
public struct FuzzInput {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    public init(_ data: UnsafePointer<UInt8>?, _ size: Int) {
        bytes = UnsafeBufferPointer(start: data, count: data == nil ? 0 : size)
    }

    /// Returns the next byte, or 0 after the end.
    public mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        position += 1
        return bytes[position - 1]
    }

    /// Returns a number below `bound`, from one byte.
    public mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

    /// Returns one of the values, which one byte chooses.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }

    /// Returns the bytes up to the next line feed, and skips the line feed.
    public mutating func line() -> [UInt8] {
        let rest = bytes[position...]
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let line = Array(bytes[position..<end])
        position = min(end + 1, bytes.count)
        return line
    }

    /// Returns all remaining bytes.
    public mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    public var isAtEnd: Bool { position == bytes.count }
}
