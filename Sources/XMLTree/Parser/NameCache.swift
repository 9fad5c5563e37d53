// From the pointers that libxml2 hands out for names to records of the name table.
//
// libxml2 interns names, prefixes and namespaces: in one context equal strings have equal addresses. So the hot path
// compares three pointers and never looks at a string. Valid for one context and one interner: both are replaced
// together. Who asks: ParserState+Events.swift.

/// A name as libxml2 passes it: interned, NUL-terminated strings.
struct InternedName: BitwiseCopyable {
    var kind: NameKind
    var local: UnsafePointer<UInt8>?
    var prefix: UnsafePointer<UInt8>?
    var namespace: UnsafePointer<UInt8>?
}

/// An open-addressing table from interned names to their index and key.
struct NameCache: ~Copyable {
    /// 40 bytes: the cache is at the mercy of the processor's.
    struct Entry: BitwiseCopyable {
        fileprivate var local: UnsafePointer<UInt8>?
        fileprivate var prefix: UnsafePointer<UInt8>?
        fileprivate var namespace: UnsafePointer<UInt8>?
        let key: NameKey
        let index: NameIndex
        fileprivate var kind: NameKind

        init(_ name: InternedName, index: NameIndex, key: NameKey) {
            local = name.local
            prefix = name.prefix
            namespace = name.namespace
            kind = name.kind
            self.index = index
            self.key = key
        }
    }

    /// A power of two in number. Free ones have neither local name nor namespace, which no name lacks.
    private var entries: UnsafeMutablePointer<Entry>
    private var capacity = 128
    /// The number of distinct names that were seen.
    private(set) var count = 0

    private static var vacant: Entry {
        let name = InternedName(kind: .element, local: nil, prefix: nil, namespace: nil)
        return Entry(name, index: NameIndex(rawValue: 0), key: NameKey(rawValue: 0))
    }

    init() {
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: Self.vacant, count: capacity)
    }

    deinit { entries.deallocate() }

    /// The entry of a name; valid until the next insertion.
    @inline(__always)
    func find(_ name: InternedName) -> UnsafePointer<Entry>? {
        var slot = Self.slot(of: name, in: capacity)
        while true {
            let entry = entries + slot
            if entry.pointee.local == name.local && entry.pointee.namespace == name.namespace
                && entry.pointee.prefix == name.prefix && entry.pointee.kind == name.kind
            {
                return UnsafePointer(entry)
            }
            if entry.pointee.isVacant { return nil }
            slot = (slot + 1) & (capacity - 1)
        }
    }

    /// Adds a name that `find` did not find.
    mutating func insert(_ entry: Entry) -> UnsafePointer<Entry> {
        if count * 2 >= capacity { grow() }
        count += 1
        return place(entry)
    }

    mutating func removeAll() {
        if count > 0 { self = NameCache() }
    }

    private mutating func grow() {
        let old = UnsafeMutableBufferPointer(start: entries, count: capacity)
        capacity *= 2
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: Self.vacant, count: capacity)
        for entry in old where !entry.isVacant { _ = place(entry) }
        old.deallocate()
    }

    private func place(_ entry: Entry) -> UnsafePointer<Entry> {
        var slot = Self.slot(of: entry.name, in: capacity)
        while !entries[slot].isVacant { slot = (slot + 1) & (capacity - 1) }
        entries[slot] = entry
        return UnsafePointer(entries + slot)
    }

    @inline(__always)
    private static func slot(of name: InternedName, in capacity: Int) -> Int {
        var hash = UInt64(UInt(bitPattern: name.local)) &* 0x9E37_79B9_7F4A_7C15
        hash ^= UInt64(UInt(bitPattern: name.namespace)) &* 0xC2B2_AE3D_27D4_EB4F
        hash ^= UInt64(UInt(bitPattern: name.prefix)) &+ UInt64(name.kind.rawValue)
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(capacity - 1))
    }
}

extension NameCache.Entry {
    @inline(__always)
    fileprivate var isVacant: Bool { local == nil && namespace == nil }

    fileprivate var name: InternedName {
        InternedName(kind: kind, local: local, prefix: prefix, namespace: namespace)
    }
}

extension UnsafePointer<UInt8> {
    /// The bytes of a NUL-terminated string.
    var terminated: UnsafeBufferPointer<UInt8> {
        var count = 0
        while self[count] != 0 { count += 1 }
        return UnsafeBufferPointer(start: self, count: count)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The bytes of a NUL-terminated string; none when there is no string.
    static func terminated(_ start: UnsafePointer<UInt8>?) -> UnsafeBufferPointer<UInt8> {
        start?.terminated ?? UnsafeBufferPointer(start: nil, count: 0)
    }
}
