// Copies a short string in one block, whatever its length. Most strings are short: a loop, or a branch on the length,
// would cost more than copying the extra bytes.

/// Memory that contains the strings to copy: the parser's input. All of its bytes are readable.
struct ReadableMemory: BitwiseCopyable {
    private let start: UInt
    /// The number of addresses from `start` on where a whole block begins.
    private let blocks: UInt

    /// The number of bytes that one step copies.
    static let blockLength = 32

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        start = UInt(bitPattern: bytes.baseAddress)
        blocks = UInt(max(bytes.count &- (Self.blockLength - 1), 0))
    }

    /// Memory without readable bytes around the strings.
    static var none: ReadableMemory { ReadableMemory(UnsafeBufferPointer(start: nil, count: 0)) }

    /// Whether a whole block is readable from this address.
    @inline(__always)
    func hasBlock(at address: UnsafePointer<UInt8>) -> Bool {
        // An address before `start` wraps around, and is beyond the end.
        UInt(bitPattern: address) &- start < blocks
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Copies a block. The string may be shorter.
    @inline(__always)
    func copyBlock(from source: UnsafePointer<UInt8>) {
        let source = UnsafeRawPointer(source)
        let first = source.loadUnaligned(as: SIMD16<UInt8>.self)
        let second = source.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
        UnsafeMutableRawPointer(self).storeBytes(of: first, as: SIMD16<UInt8>.self)
        UnsafeMutableRawPointer(self).storeBytes(of: second, toByteOffset: 16, as: SIMD16<UInt8>.self)
    }
}

extension UnsafeRawPointer {
    /// Returns eight bytes at any address; the first is the lowest.
    @inline(__always)
    func word(at offset: Int) -> UInt64 { UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
}
