// Collects the text and the attribute values of trees, each after its length (ByteReference.swift).
//
// Text comes in runs: the text between two tags is one run, but its parts may arrive separately.

struct ByteCollector: ~Copyable {
    private var bytes = Records<UInt8>(capacity: leastBytes)
    /// The run that may continue; empty after a tag.
    private var openRun = ByteReference.empty

    private static let leastBytes = 4096
    /// The buffer keeps no more room than this.
    private static let keptBytes = 1 << 17
    /// The room kept free after a string: its 32-bit length, and the bytes that a block copy writes past its end.
    private static let slack = 8 + ReadableMemory.blockLength

    init() {
        beginTree()
    }

    var isLarge: Bool { bytes.capacity > Self.keptBytes }

    var capacityInBytes: Int { bytes.capacityInBytes }

    // MARK: Trees

    /// The bytes of the tree. Valid until the next change.
    var all: UnsafeBufferPointer<UInt8> { bytes.all }

    /// Drops the bytes of the tree.
    @inline(__always)
    mutating func beginTree() {
        openRun = .empty
        bytes.removeLast(downTo: 0)
        bytes.append(0)
    }

    /// Gives away the block, and begins a small one.
    mutating func take() -> UnsafeBufferPointer<UInt8> {
        let taken = bytes.take(beginningWith: Self.leastBytes)
        beginTree()
        return taken
    }

    // MARK: Strings

    /// Stores a string from inside or outside `surroundings`.
    @inline(__always)
    mutating func store(_ string: UnsafeBufferPointer<UInt8>, in surroundings: ReadableMemory) -> ByteReference {
        guard let start = string.baseAddress, string.count > 0 else { return .empty }
        bytes.reserve(string.count &+ Self.slack)
        let reference = ByteReference(rawValue: UInt32(truncatingIfNeeded: bytes.count))
        let text = LengthPrefix.write(string.count, to: bytes.base + bytes.count)
        if string.count <= ReadableMemory.blockLength, surroundings.hasBlock(at: start) {
            text.copyBlock(from: start)
        } else {
            text.update(from: start, count: string.count)
        }
        bytes.extend(to: (text - bytes.base) &+ string.count)
        return reference
    }

    /// Stores a run of text, or the continuation of the open run. Returns the whole run.
    @inline(__always)
    mutating func text(_ part: UnsafeBufferPointer<UInt8>, in surroundings: ReadableMemory) -> ByteReference {
        if !openRun.isEmpty { return extendRun(part) }
        openRun = store(part, in: surroundings)
        return openRun
    }

    /// Ends the open run. The next text starts a new one.
    @inline(__always)
    mutating func endText() {
        openRun = .empty
    }

    /// Long runs, and those with references and CDATA sections, arrive in parts.
    @inline(never)
    private mutating func extendRun(_ part: UnsafeBufferPointer<UInt8>) -> ByteReference {
        guard let addition = part.baseAddress, part.count > 0 else { return openRun }
        let length = UnsafePointer(bytes.base).string(at: openRun).count
        let newLength = length + part.count
        bytes.reserve(newLength + Self.slack)
        // The run was stored last.
        let start = Int(openRun.rawValue)
        let prefix = LengthPrefix.size(of: length)
        let newPrefix = LengthPrefix.size(of: newLength)
        let text = bytes.base + start + prefix
        if newPrefix > prefix {
            UnsafeMutableRawPointer(bytes.base + start + newPrefix).copyMemory(from: text, byteCount: length)
        }
        let end = LengthPrefix.write(newLength, to: bytes.base + start) + length
        end.update(from: addition, count: part.count)
        bytes.extend(to: (end - bytes.base) + part.count)
        return openRun
    }
}
