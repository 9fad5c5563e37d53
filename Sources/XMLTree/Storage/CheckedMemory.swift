// The memory that the parser reads: no file in the folder Parser keeps memory of its own or computes an address. Every
// access is checked against the bounds, or the comment beside it proves that it is within them. This file does not
// depend on XML. Other files of this folder hold the memory of trees.
//
// The parser reads input through `ByteView`, and keeps records in `Records`. The buffers that `ByteView.bytes` returns
// are inside the view. The parser iterates, cuts and passes them while the input does not change.

/// Bytes of a `InputBuffer`, with its slack. Valid until the buffer changes. Reads are checked.
package struct ByteView: BitwiseCopyable {
    private let base: UnsafePointer<UInt8>
    /// The number of readable bytes, including the slack.
    private let limit: Int

    fileprivate init(base: UnsafePointer<UInt8>, limit: Int) {
        self.base = base
        self.limit = limit
    }

    @inline(__always)
    subscript(index: Int) -> UInt8 {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: limit))
        return base[index]
    }

    /// Returns sixteen bytes.
    @inline(__always)
    func block(at index: Int) -> SIMD16<UInt8> {
        // `limit` is at least the slack, which is more than a block.
        precondition(UInt(bitPattern: index) <= UInt(bitPattern: limit &- 16))
        return UnsafeRawPointer(base + index).loadUnaligned(as: SIMD16<UInt8>.self)
    }

    /// Returns the bytes from `start` to `end`.
    @inline(__always)
    package func bytes(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
        // As unsigned numbers: neither is negative.
        precondition(
            UInt(bitPattern: start) <= UInt(bitPattern: end) && UInt(bitPattern: end) <= UInt(bitPattern: limit))
        return UnsafeBufferPointer(start: base + start, count: end &- start)
    }

    /// The memory around the bytes, for copying in blocks.
    var memory: ReadableMemory {
        @inline(__always) get { ReadableMemory(UnsafeBufferPointer(start: base, count: limit)) }
    }
}

/// Bytes that grow at the end and are dropped at the front. A NUL follows the last byte, so that loops over the bytes
/// need not check for the end. After the NUL come `slack` bytes, which are readable and have no meaning.
package struct InputBuffer: ~Copyable {
    static let slack = 64

    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// `start + count <= capacity`: the bytes begin at `memory + start`.
    private var start = 0
    package private(set) var count = 0

    package init(capacity: Int) {
        self.capacity = capacity
        memory = .allocate(capacity: capacity + Self.slack)
        // All readable memory is initialized.
        memory.initialize(repeating: 0, count: capacity + Self.slack)
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.init(capacity: bytes.count)
        append(bytes)
    }

    deinit { memory.deallocate() }

    private var base: UnsafeMutablePointer<UInt8> { @inline(__always) get { memory + start } }

    package var view: ByteView { @inline(__always) get { ByteView(base: base, limit: count &+ Self.slack) } }

    package var capacityInBytes: Int { capacity + Self.slack }

    /// Adds bytes. The amortized cost is linear in their number.
    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        (base + count).update(from: source, count: bytes.count)
        count += bytes.count
        base[count] = 0
    }

    /// Room for more bytes, which begins at the NUL. The caller writes them before `append(written:)`, without a change
    /// or a view between the two.
    package mutating func room(_ length: Int) -> UnsafeMutableBufferPointer<UInt8> {
        precondition(length >= 0)
        reserve(length)
        endInput()
        return UnsafeMutableBufferPointer(start: base + count, count: length)
    }

    /// Adds bytes that were written into the room.
    package mutating func append(written length: Int) {
        precondition(length >= 0 && length <= capacity - start - count)
        count += length
        endInput()
    }

    /// Writes the NUL and the slack, which may be new memory.
    private mutating func endInput() { (base + count).update(repeating: 0, count: Self.slack) }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
        base[count] = 0
    }

    /// Makes room for bytes that the caller writes at once.
    private mutating func reserve(_ additional: Int) {
        if additional <= capacity - start - count { return }
        // This moves no more bytes than were dropped, so the cost stays linear.
        if start >= count, additional <= capacity - count {
            memory.update(from: base, count: count + 1)
            start = 0
        } else {
            move(toCapacity: max(2 * capacity, count + additional), beforeAdding: additional)
        }
    }

    /// Releases memory beyond `capacity`, if little of it is used.
    mutating func shrink(to capacity: Int) {
        if self.capacity > capacity, count <= capacity / 2 { move(toCapacity: capacity) }
    }

    /// - Parameters:
    ///   - newCapacity: At least `count + additional`.
    ///   - additional: The number of bytes that the caller writes at once. Zeros there would cost as much as the bytes.
    @inline(never)
    private mutating func move(toCapacity newCapacity: Int, beforeAdding additional: Int = 0) {
        let other = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity + Self.slack)
        other.initialize(from: base, count: count)
        let unread = count + additional
        (other + unread).initialize(repeating: 0, count: newCapacity + Self.slack - unread)
        other[count] = 0
        memory.deallocate()
        memory = other
        capacity = newCapacity
        start = 0
    }

    /// Drops the first bytes.
    package mutating func removeFirst(_ number: Int) {
        precondition(number >= 0 && number <= count)
        start += number
        count -= number
        if count == 0 {
            start = 0
            memory[0] = 0
        }
    }

    /// Drops bytes in the middle. The bytes before them move.
    mutating func remove(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        (base + range.count).update(from: base, count: range.lowerBound)
        removeFirst(range.count)
    }

    /// Drops all bytes, and memory beyond `capacity`.
    package mutating func removeAll(keeping capacity: Int) {
        (start, count) = (0, 0)
        if self.capacity > capacity {
            self = InputBuffer(capacity: capacity)
        } else {
            memory[0] = 0
        }
    }

    /// Replaces a byte, which may be the NUL, and returns the previous one.
    mutating func replace(at index: Int, with byte: UInt8) -> UInt8 {
        precondition(index >= 0 && index <= count)
        let before = base[index]
        base[index] = byte
        return before
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Counts the bytes that are set in the mask of their block. The buffer has at least sixteen bytes.
    @inline(__always)
    func count(where isCounted: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>) -> Int {
        guard let start = baseAddress, count >= 16 else { preconditionFailure("fewer bytes than a block has") }
        var total = 0
        var index = 0
        // Reads sixteen bytes while as many remain. A lane counts up to 255 of them.
        while count - index >= 16 {
            // The first index at which no block begins.
            let end = Swift.min(count, index + 255 * 16) - 15
            var lanes = SIMD16<UInt8>()
            while index < end {
                let block = UnsafeRawPointer(start + index).loadUnaligned(as: SIMD16<UInt8>.self)
                lanes &-= unsafeBitCast(isCounted(block), to: SIMD16<UInt8>.self)
                index &+= 16
            }
            total += Int(SIMD16<UInt16>(truncatingIfNeeded: lanes).wrappedSum())
        }
        if index == count { return total }
        // The last bytes are the last lanes of a block that begins before them.
        let block = UnsafeRawPointer(start + (count - 16)).loadUnaligned(as: SIMD16<UInt8>.self)
        let lanes = SIMD16<Int8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
        let isLast = lanes .>= SIMD16<Int8>(repeating: Int8(truncatingIfNeeded: 16 - (count - index)))
        let counted = unsafeBitCast(isCounted(block) .& isLast, to: SIMD16<UInt8>.self)
        return total + Int((0 &- counted).wrappedSum())
    }
}

extension StaticString {
    /// The bytes, which live forever.
    @inlinable package var buffer: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

// MARK: Copying in blocks

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
