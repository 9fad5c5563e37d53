// The parser's raw memory: no other file in this folder allocates memory or computes an address. Every access is
// checked against the bounds, or the comment beside it proves it. This file knows nothing of XML.
//
// The other files read input by `ByteView`, and keep records in `Records` and values in `Queue`. The buffers that
// `ByteView.bytes` gives are inside of the view. They are iterated, cut and handed on while the input stays as it is.

/// Bytes of a `ByteBuffer`, with its slack. Valid until the buffer changes; reads are checked.
struct ByteView: BitwiseCopyable {
    private let base: UnsafePointer<UInt8>
    /// How many bytes can be read, the slack included.
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

    /// Sixteen bytes.
    @inline(__always)
    func block(at index: Int) -> SIMD16<UInt8> {
        // `limit` is at least the slack, which is more than a block.
        precondition(UInt(bitPattern: index) <= UInt(bitPattern: limit &- 16))
        return UnsafeRawPointer(base + index).loadUnaligned(as: SIMD16<UInt8>.self)
    }

    /// The bytes from `start` to `end`.
    @inline(__always)
    func bytes(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
        precondition(start >= 0 && start <= end && end <= limit)
        return UnsafeBufferPointer(start: base + start, count: end &- start)
    }

    /// The memory around the bytes, for copying in blocks.
    var memory: ReadableMemory {
        @inline(__always) get { ReadableMemory(UnsafeBufferPointer(start: base, count: limit)) }
    }
}

/// Bytes that grow at the end and are dropped at the front. A NUL follows the last byte, so that loops over the bytes
/// need not ask for the end; behind it are `slack` bytes that can be read and mean nothing.
struct ByteBuffer: ~Copyable {
    static let slack = 64

    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        base = Self.allocate(capacity)
    }

    deinit { base.deallocate() }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
        let base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + slack)
        // All that can be read is initialized.
        base.initialize(repeating: 0, count: capacity + slack)
        return base
    }

    var view: ByteView {
        @inline(__always) get { ByteView(base: base, limit: count &+ Self.slack) }
    }

    var capacityInBytes: Int { capacity + Self.slack }

    /// Adds bytes, with an amortized cost that is linear in them.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let start = bytes.baseAddress {
            reserve(bytes.count)
            // There is room for `bytes.count` more, and the slack holds the NUL.
            (base + count).update(from: start, count: bytes.count)
            count += bytes.count
        }
        base[count] = 0
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
        base[count] = 0
    }

    private mutating func reserve(_ additional: Int) {
        if additional <= capacity - count { return }
        move(toCapacity: max(2 * capacity, count + additional))
    }

    /// Gives memory beyond `capacity` back, if little of it is used.
    mutating func shrink(to capacity: Int) {
        if self.capacity > capacity, count <= capacity / 2 { move(toCapacity: capacity) }
    }

    /// - Parameter newCapacity: At least `count`.
    @inline(never)
    private mutating func move(toCapacity newCapacity: Int) {
        let larger = Self.allocate(newCapacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
        capacity = newCapacity
    }

    /// Drops the first bytes; the NUL moves with the end.
    mutating func removeFirst(_ number: Int) {
        precondition(number >= 0 && number <= count)
        count -= number
        if number > 0, count > 0 { base.update(from: base + number, count: count) }
        base[count] = 0
    }

    /// Drops bytes in the middle.
    mutating func remove(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        (base + range.lowerBound).update(from: base + range.upperBound, count: count - range.upperBound)
        count -= range.count
        base[count] = 0
    }

    /// Drops the last bytes.
    mutating func removeLast(downTo newCount: Int) {
        precondition(newCount >= 0 && newCount <= count)
        count = newCount
        base[count] = 0
    }

    /// Drops all bytes, and memory beyond `capacity`.
    mutating func removeAll(keeping capacity: Int) {
        count = 0
        if self.capacity > capacity {
            self = ByteBuffer(capacity: capacity)
        } else {
            base[0] = 0
        }
    }

    /// Replaces a byte, which may be the NUL, and returns the one that was there.
    mutating func replace(at index: Int, with byte: UInt8) -> UInt8 {
        precondition(index >= 0 && index <= count)
        let before = base[index]
        base[index] = byte
        return before
    }
}

/// A growing array of plain records. Reads and writes are checked; unlike an `Array` it costs no reference count and no
/// test for uniqueness.
struct Records<Record: BitwiseCopyable>: ~Copyable {
    private var buffer: GrowingBuffer<Record>
    private(set) var count = 0

    init(capacity: Int) {
        buffer = GrowingBuffer(capacity: capacity)
    }

    init(repeating record: Record, count: Int) {
        buffer = GrowingBuffer(capacity: count)
        buffer.base.initialize(repeating: record, count: count)
        self.count = count
    }

    @inline(__always)
    subscript(index: Int) -> Record {
        get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            return buffer.base[index]
        }
        _modify {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            yield &buffer.base[index]
        }
    }

    @inline(__always)
    mutating func append(_ record: Record) {
        if count == buffer.capacity { buffer.grow(toAtLeast: count + 1) }
        (buffer.base + count).initialize(to: record)
        count &+= 1
    }

    @inline(__always)
    mutating func removeLast(downTo newCount: Int) {
        precondition(UInt(bitPattern: newCount) <= UInt(bitPattern: count))
        count = newCount
    }

}

/// A queue of values of any kind. An index of a value stays what it is until the queue is empty.
struct Queue<Value>: ~Copyable {
    private var base = UnsafeMutablePointer<Value>.allocate(capacity: keptCapacity)
    private var capacity = keptCapacity
    /// Memory from `first` to `end` is initialized, and `0 <= first <= end <= capacity`.
    private(set) var first = 0
    private(set) var end = 0

    /// Room for that many values stays when all were taken.
    private static var keptCapacity: Int { 64 }

    deinit {
        (base + first).deinitialize(count: end - first)
        base.deallocate()
    }

    var isEmpty: Bool { first == end }

    @inline(__always)
    subscript(index: Int) -> Value {
        get {
            precondition(index >= first && index < end)
            return base[index]
        }
        set {
            precondition(index >= first && index < end)
            base[index] = newValue
        }
    }

    @inline(__always)
    mutating func append(_ value: consuming Value) {
        if end == capacity { move(toCapacity: capacity * 2) }
        // There is room for one more.
        (base + end).initialize(to: value)
        end += 1
    }

    @inline(__always)
    mutating func removeFirst() -> Value? {
        if first == end { return nil }
        let value = (base + first).move()
        first += 1
        if first == end {
            (first, end) = (0, 0)
            if capacity > Self.keptCapacity { move(toCapacity: Self.keptCapacity) }
        }
        return value
    }

    /// - Parameter newCapacity: At least `end`.
    @inline(never)
    private mutating func move(toCapacity newCapacity: Int) {
        let other = UnsafeMutablePointer<Value>.allocate(capacity: newCapacity)
        (other + first).moveInitialize(from: base + first, count: end - first)
        base.deallocate()
        base = other
        capacity = newCapacity
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Counts bytes. In blocks of fixed lengths and in bytes only, so that the compiler can compare and add sixteen at
    /// once.
    @inline(__always)
    func count(where isCounted: (UInt8) -> Bool) -> Int {
        // Every index below is less than `count`.
        guard let start = baseAddress else { return 0 }
        var total = 0
        var index = 0
        while count - index >= 64 {
            let block = start + index
            var counted: UInt8 = 0
            for offset in 0..<64 where isCounted(block[offset]) { counted &+= 1 }
            total += Int(counted)
            index += 64
        }
        while count - index >= 16 {
            let block = start + index
            var counted: UInt8 = 0
            for offset in 0..<16 where isCounted(block[offset]) { counted &+= 1 }
            total += Int(counted)
            index += 16
        }
        while index < count {
            if isCounted(start[index]) { total += 1 }
            index += 1
        }
        return total
    }
}

extension StaticString {
    /// Its bytes, which live for ever.
    var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}
