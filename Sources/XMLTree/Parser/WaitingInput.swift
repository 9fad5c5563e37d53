// Input that was fed and is not read yet, because the events before it have not been taken.

struct WaitingInput {
    private var bytes: [UInt8] = []
    /// Those before were handed out.
    private var start = 0
    /// Whether nothing comes behind these bytes.
    var isEnded = false

    /// Room for that many bytes stays when all were read.
    private static let keptCapacity = 1 << 16

    var isEmpty: Bool { start == bytes.count }

    mutating func append(_ more: UnsafeBufferPointer<UInt8>) {
        if more.isEmpty { return }
        // What is dropped is at least as much as what is moved.
        if start >= bytes.count - start { dropRead() }
        bytes.append(contentsOf: more)
    }

    /// The next bytes, at most `count`; `nil` when there are none.
    mutating func next(_ count: Int) -> ArraySlice<UInt8>? {
        if isEmpty {
            dropRead()
            return nil
        }
        let end = min(start + count, bytes.count)
        defer { start = end }
        return bytes[start..<end]
    }

    mutating func removeAll() {
        self = WaitingInput()
    }

    private mutating func dropRead() {
        if start == bytes.count, bytes.capacity > Self.keptCapacity {
            bytes = []
        } else {
            bytes.removeFirst(start)
        }
        start = 0
    }
}
