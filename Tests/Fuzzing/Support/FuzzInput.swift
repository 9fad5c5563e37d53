// One input of libFuzzer, read from the front: settings first, one byte each, then lines or the rest.
//
// All fuzzers read their inputs with it, so that their seeds are short text files.

/// The bytes of one run.
public struct FuzzInput {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    public init(_ data: UnsafePointer<UInt8>?, _ size: Int) {
        bytes = UnsafeBufferPointer(start: data, count: data == nil ? 0 : size)
    }

    /// The next byte; 0 after the end.
    public mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        position += 1
        return bytes[position - 1]
    }

    /// A number below `bound`, from one byte.
    public mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

    /// One of one or more values, chosen by one byte.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }

    /// Everything up to the next line feed, which is skipped.
    public mutating func line() -> [UInt8] {
        let rest = bytes[position...]
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let line = Array(bytes[position..<end])
        position = min(end + 1, bytes.count)
        return line
    }

    /// The remaining bytes.
    public mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    public var isAtEnd: Bool { position == bytes.count }
}
