// Byte strings in a tree's block or a name table: an offset refers to a length, followed by the bytes.
//
// The length is LEB128, so that most strings cost one byte more than their text. A reference has four bytes. Offset 0
// always holds the empty string. This file does not interpret the bytes.

/// The beginning of a byte string. Offset 0 is the empty string.
@usableFromInline package struct ByteReference: Hashable, Sendable, BitwiseCopyable {
    @usableFromInline package let rawValue: UInt32

    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable package static var empty: ByteReference { ByteReference(rawValue: 0) }

    @inlinable package var isEmpty: Bool { rawValue == 0 }
}

extension UnsafePointer<UInt8> {
    /// The string at `reference`, in the storage that begins here.
    @inlinable @inline(__always)
    package func string(at reference: ByteReference) -> UnsafeBufferPointer<UInt8> {
        var start = self + Int(reference.rawValue)
        let first = start[0]
        start += 1
        if first < 0x80 { return UnsafeBufferPointer(start: start, count: Int(first)) }
        var length = Int(first & 0x7F)
        var shift = 7
        while true {
            let byte = start[0]
            start += 1
            length |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return UnsafeBufferPointer(start: start, count: length) }
            shift += 7
        }
    }
}

/// The encoding of lengths.
@usableFromInline package enum LengthPrefix {
    /// The number of bytes that the prefix of a string of `length` bytes takes.
    @inlinable package static func size(of length: Int) -> Int {
        length < 0x80 ? 1 : (Int.bitWidth - length.leadingZeroBitCount + 6) / 7
    }

    /// Writes the prefix, and returns its end.
    @inlinable package static func write(_ length: Int, to start: UnsafeMutablePointer<UInt8>)
        -> UnsafeMutablePointer<UInt8>
    {
        var position = start
        var rest = length
        while rest >= 0x80 {
            position[0] = UInt8(truncatingIfNeeded: rest) | 0x80
            position += 1
            rest >>= 7
        }
        position[0] = UInt8(truncatingIfNeeded: rest)
        return position + 1
    }
}

extension UnsafeBufferPointer<UInt8> {
    static var empty: UnsafeBufferPointer { UnsafeBufferPointer(start: nil, count: 0) }

    /// Whether both have the same bytes. Plain Swift: a C call would cost a retain and a release in every evaluation,
    /// because the optimizer has to assume that the call might free the tree.
    @inlinable @inline(__always)
    package func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index < count {
            if self[index] != other[index] { return false }
            index += 1
        }
        return true
    }
}
