// Compiled queries by the address of their literal: looked up without a lock or a reference count, never freed.
//
// A program has a bounded number of literals, and their addresses are theirs for good. The table is of fixed size; what
// does not fit is kept behind a lock.

import Synchronization

/// A map from literals to queries that only grows: its address. QueryCache.swift owns it.
///
/// Sendable without being checked: the memory holds atomics only, and a lock.
struct LiteralTable: BitwiseCopyable, @unchecked Sendable {
    /// Slots; a power of two. Programs have some hundreds of queries; 32 KiB is little against their stanzas.
    private static let size = 4096
    /// Probes before a literal counts as not there, or as one that there is no room for.
    private static let maximumProbes = 16

    /// What tells literals apart. One without an address is a single character.
    private struct Identity: Hashable {
        let start: UInt
        let count: Int

        @inline(__always)
        init(_ literal: StaticString) {
            if literal.hasPointerRepresentation {
                (start, count) = (UInt(bitPattern: literal.utf8Start), literal.utf8CodeUnitCount)
            } else {
                (start, count) = (UInt(literal.unicodeScalar.value), -1)
            }
        }
    }

    /// One literal's query. Written before its address is published, and never again.
    private struct Entry {
        let identity: Identity
        let query: Unmanaged<Query.Storage>
    }

    private let slots: UnsafeMutablePointer<Atomic<UInt>>
    private let overflow: Unmanaged<Lock<[Identity: Query]>>

    init() {
        slots = .allocate(capacity: Self.size)
        for index in 0..<Self.size { (slots + index).initialize(to: Atomic(0)) }
        overflow = .passRetained(Lock([:]))
    }

    /// Frees the table with its queries, when nobody uses them any more.
    func deallocate() {
        for index in 0..<Self.size {
            let address = slots[index].load(ordering: .acquiring)
            guard let entry = UnsafeMutablePointer<Entry>(bitPattern: address) else { continue }
            entry.pointee.query.release()
            entry.deallocate()
        }
        slots.deinitialize(count: Self.size)
        slots.deallocate()
        overflow.release()
    }

    /// The query of a literal. It is there for good, so nobody has to hold it.
    @inline(__always)
    func query(_ literal: StaticString) -> Unmanaged<Query.Storage>? {
        let identity = Identity(literal)
        var slot = Self.slot(of: identity)
        for _ in 0..<Self.maximumProbes {
            let address = slots[slot].load(ordering: .acquiring)
            guard let entry = UnsafePointer<Entry>(bitPattern: address) else { return nil }
            if entry.pointee.identity == identity { return entry.pointee.query }
            slot = (slot + 1) & (Self.size - 1)
        }
        return queryBehindLock(identity)
    }

    /// Keeps a query for good.
    func insert(_ query: Query, for literal: StaticString) -> Unmanaged<Query.Storage> {
        let identity = Identity(literal)
        let storage = Unmanaged.passRetained(query.storage)
        let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
        entry.initialize(to: Entry(identity: identity, query: storage))
        var slot = Self.slot(of: identity)
        for _ in 0..<Self.maximumProbes {
            let (isStored, _) = slots[slot].compareExchange(
                expected: 0, desired: UInt(bitPattern: entry), ordering: .releasing)
            if isStored { return storage }
            slot = (slot + 1) & (Self.size - 1)
        }
        entry.deallocate()
        storage.release()
        return overflow.takeUnretainedValue().withLock { overflow in
            let kept = overflow[identity] ?? query
            overflow[identity] = kept
            return .passUnretained(kept.storage)
        }
    }

    @inline(never)
    private func queryBehindLock(_ identity: Identity) -> Unmanaged<Query.Storage>? {
        overflow.takeUnretainedValue().withLock { overflow in (overflow[identity]?.storage).map { .passUnretained($0) }
        }
    }

    @inline(__always)
    private static func slot(of identity: Identity) -> Int {
        // Literals lie behind each other: the multiplication spreads their addresses over the table.
        Int((UInt64(identity.start) &* 0x9E37_79B9_7F4A_7C15) >> 52) & (size - 1)
    }
}
