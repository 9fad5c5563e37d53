// The compiled forms of literals, by address: found without a lock or a reference count, never freed.
//
// A program has a bounded number of literals, and each keeps its address for good. The table has a fixed size; a lock
// guards the entries that do not fit.

import CAtomics
import Locking

/// A map from literals to their compiled forms that only grows. The value is the map's address. QueryCache.swift owns
/// the map of queries, and the map of queries with slots.
///
/// Sendable without being checked: only atomic operations and a lock touch the memory. The unretained references are
/// safe, because a stored form is released only by `deallocate`: a retain of it cannot come too late.
struct LiteralTable<Compiled: AnyObject & Sendable>: BitwiseCopyable, @unchecked Sendable {
    /// Slots; a power of two. Programs have some hundreds of queries; 32 KiB is little against their stanzas.
    private static var size: Int { 4096 }
    /// The number of probes after which a literal counts as missing, or as one without room.
    private static var maximumProbes: Int { 16 }

    /// The compiled form of one literal. Written before its address is published, and never again.
    private struct Entry {
        let identity: LiteralIdentity
        let compiled: Unmanaged<Compiled>
    }

    private let slots: UnsafeMutablePointer<UInt>
    private let overflow: Unmanaged<Lock<[LiteralIdentity: Compiled]>>

    init() {
        slots = .allocate(capacity: Self.size)
        slots.initialize(repeating: 0, count: Self.size)
        overflow = .passRetained(Lock([:]))
    }

    /// Frees the table with all its contents. The caller ensures that no code uses them any more.
    func deallocate() {
        for index in 0..<Self.size {
            let address = stanza_atomic_load(slots + index)
            guard let entry = UnsafeMutablePointer<Entry>(bitPattern: address) else { continue }
            entry.pointee.compiled.release()
            entry.deallocate()
        }
        slots.deallocate()
        overflow.release()
    }

    /// The compiled form of a literal. It is never freed, so the caller need not retain it.
    @inline(__always)
    subscript(_ identity: LiteralIdentity) -> Unmanaged<Compiled>? {
        var slot = Self.slot(of: identity)
        for _ in 0..<Self.maximumProbes {
            let address = stanza_atomic_load(slots + slot)
            guard let entry = UnsafePointer<Entry>(bitPattern: address) else { return nil }
            if entry.pointee.identity == identity { return entry.pointee.compiled }
            slot = (slot + 1) & (Self.size - 1)
        }
        return behindLock(identity)
    }

    /// Stores the compiled form of a literal for good. Returns the stored form: that of the first task to store it.
    func insert(_ compiled: Compiled, for identity: LiteralIdentity) -> Unmanaged<Compiled> {
        let kept = Unmanaged.passRetained(compiled)
        let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
        entry.initialize(to: Entry(identity: identity, compiled: kept))
        var slot = Self.slot(of: identity)
        for _ in 0..<Self.maximumProbes {
            let address = stanza_atomic_replace(slots + slot, 0, UInt(bitPattern: entry))
            if address == 0 { return kept }
            // Another task may have stored the same literal in between.
            if let stored = UnsafePointer<Entry>(bitPattern: address), stored.pointee.identity == identity {
                entry.deallocate()
                kept.release()
                return stored.pointee.compiled
            }
            slot = (slot + 1) & (Self.size - 1)
        }
        entry.deallocate()
        kept.release()
        return overflow.takeUnretainedValue().withLock { overflow in
            let kept = overflow[identity] ?? compiled
            overflow[identity] = kept
            return .passUnretained(kept)
        }
    }

    @inline(never)
    private func behindLock(_ identity: LiteralIdentity) -> Unmanaged<Compiled>? {
        overflow.takeUnretainedValue().withLock { overflow in overflow[identity].map { .passUnretained($0) } }
    }

    @inline(__always)
    private static func slot(of identity: LiteralIdentity) -> Int {
        // Literals are adjacent in memory: the multiplication spreads their addresses over the table.
        Int((UInt64(identity.start) &* 0x9E37_79B9_7F4A_7C15) >> 52) & (size - 1)
    }
}

/// The identity of a literal with the options of its query. A literal without an address is a single character.
struct LiteralIdentity: Hashable {
    fileprivate let start: UInt
    /// The length, and above it the options.
    private let count: Int

    @inline(__always)
    init(_ literal: StaticString, _ options: QueryOptions = []) {
        let marker = Int(options.compiled.rawValue) &<< (Int.bitWidth &- 8)
        if literal.hasPointerRepresentation {
            (start, count) = (UInt(bitPattern: literal.utf8Start), literal.utf8CodeUnitCount | marker)
        } else {
            (start, count) = (UInt(literal.unicodeScalar.value), -1 ^ marker)
        }
    }
}
