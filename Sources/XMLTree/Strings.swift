// Compares strings by their code points: canonical equivalents differ in XML, but are equal as `String` (rule 1.1).

extension String {
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
    }

    init?(nonEmpty bytes: UnsafeBufferPointer<UInt8>) {
        if bytes.isEmpty { return nil }
        self.init(bytes)
    }

    /// Whether both have the same code points. `==` treats canonical equivalents as equal.
    package func isIdentical(to other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Hashes the code points, so that canonical equivalents differ.
    func hashExactly(into hasher: inout Hasher) {
        var string = self
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)
    }
}

extension String {
    /// Passes the UTF-8 bytes. `withUTF8` needs a variable, and so a copy, which costs a retain and a release.
    @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return withCopiedBytes(body)
    }

    /// For strings of other frameworks. Not inlined: it would be two more copies of each body.
    @inline(never)
    package func withCopiedBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var copy = self
        return copy.withUTF8(body)
    }
}

extension [StringMap.Entry] {
    /// The entries in the order of their keys' bytes. Not inlined: each call would make two kilobytes of code.
    @inline(never)
    func sortedByKey() -> Self { sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
}

extension String? {
    /// Whether both have the same code points, or both are `nil`.
    package func isIdentical(to other: String?) -> Bool {
        switch (self, other) {
        case (let one?, let other?): one.isIdentical(to: other)
        case (nil, nil): true
        default: false
        }
    }
}

/// A string that is hashed and compared by its code points, for sets and dictionaries.
package struct ExactString: Hashable {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package static func == (one: ExactString, other: ExactString) -> Bool { one.string.isIdentical(to: other.string) }

    package func hash(into hasher: inout Hasher) { string.hashExactly(into: &hasher) }
}
