// Compiled queries by the address of their literal: looked up without a lock, never removed.
//
// A program has a bounded number of literals, and their addresses are theirs for good. The table is of fixed size; what
// does not fit is kept by QueryCache.swift like a query made at run time.

import Synchronization

/// A map from literals to queries that only grows.
final class LiteralTable: Sendable {
    /// Slots; a power of two. Programs have some hundreds of queries; 32 KiB is little against their stanzas.
    private static let size = 4096
    /// Probes before a literal counts as not there, or as one that there is no room for.
    private static let maximumProbes = 16

    /// One literal's query. Written once, before its address is published, and never freed.
    private final class Entry: Sendable {
        let start: UInt
        let count: Int
        let query: Query

        init(_ literal: StaticString, _ query: Query) {
            start = UInt(bitPattern: literal.utf8Start)
            count = literal.utf8CodeUnitCount
            self.query = query
        }
    }

    private let slots: Slots

    init() {
        slots = Slots(count: Self.size)
    }

    func query(_ literal: StaticString) -> Query? {
        var slot = Self.slot(of: literal)
        for _ in 0..<Self.maximumProbes {
            let address = slots[slot].load(ordering: .acquiring)
            guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
            let entry = Unmanaged<Entry>.fromOpaque(pointer).takeUnretainedValue()
            if entry.start == UInt(bitPattern: literal.utf8Start), entry.count == literal.utf8CodeUnitCount {
                return entry.query
            }
            slot = (slot + 1) & (Self.size - 1)
        }
        return nil
    }

    /// Keeps a query; false when there is no room for it.
    func insert(_ query: Query, for literal: StaticString) -> Bool {
        let entry = Unmanaged.passRetained(Entry(literal, query))
        let address = UInt(bitPattern: entry.toOpaque())
        var slot = Self.slot(of: literal)
        for _ in 0..<Self.maximumProbes {
            let (isStored, _) = slots[slot].compareExchange(expected: 0, desired: address, ordering: .releasing)
            if isStored { return true }
            slot = (slot + 1) & (Self.size - 1)
        }
        entry.release()
        return false
    }

    private static func slot(of literal: StaticString) -> Int {
        // Literals lie behind each other: the multiplication spreads their addresses over the table.
        let product = UInt64(UInt(bitPattern: literal.utf8Start)) &* 0x9E37_79B9_7F4A_7C15
        return Int(product >> 52) & (size - 1)
    }
}

/// A fixed number of atomic addresses.
///
/// Sendable without being checked: the memory holds atomics only.
private struct Slots: @unchecked Sendable {
    private let start: UnsafeMutablePointer<Atomic<UInt>>

    /// Never freed: the process has one table.
    init(count: Int) {
        start = .allocate(capacity: count)
        for index in 0..<count { (start + index).initialize(to: Atomic(0)) }
    }

    subscript(_ index: Int) -> Atomic<UInt> {
        unsafeAddress { UnsafePointer(start + index) }
    }
}
