// Strings that are compared by their code points: canonical equivalents differ in XML, but are equal as `String` and as
// keys of a `Dictionary` (rule 1.1). Attributes (`@@`) and the options of form fields use an ordered map with such
// keys. They are small, so a lookup is linear.

extension String {
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.init(decoding: bytes, as: UTF8.self) }

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

    /// Passes the UTF-8 bytes. `withUTF8` needs a variable, and so a copy, which costs a retain and a release.
    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return withCopiedBytes(body)
    }

    /// For strings of other frameworks. Not inlined: it would be two more copies of each body.
    @usableFromInline @inline(never)
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

    package init(_ string: String) { self.string = string }

    package static func == (one: ExactString, other: ExactString) -> Bool { one.string.isIdentical(to: other.string) }

    package func hash(into hasher: inout Hasher) { string.hashExactly(into: &hasher) }
}

/// An ordered map from strings to strings whose keys are compared code point by code point.
///
/// ```swift
/// let attributes: StringMap = ["type": "get", "id": "1"]
/// let type = attributes["type"]  // "get"
/// ```
///
/// Equality ignores the order of the entries.
public struct StringMap: Sendable {
    public typealias Entry = (key: String, value: String)

    private var entries: [Entry] = []

    public init() {}

    /// Creates a map. If several entries have equal keys, the value of the last counts, at the place of the first.
    ///
    /// Complexity: O(n), expected.
    public init(_ entries: some Sequence<Entry>) {
        var positions: [ExactString: Int] = [:]
        for entry in entries {
            if let position = positions[ExactString(entry.key)] {
                self.entries[position].value = entry.value
            } else {
                positions[ExactString(entry.key)] = self.entries.count
                self.entries.append(entry)
            }
        }
    }

    /// The value of `key`. Setting `nil` removes the entry. Complexity: O(n).
    public subscript(key: String) -> String? {
        get { position(of: key).map { entries[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): entries[position].value = value
            case (let position?, nil): entries.remove(at: position)
            case (nil, let value?): entries.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// The keys, in order.
    public var keys: [String] { entries.map(\.key) }

    /// The values, in order.
    public var values: [String] { entries.map(\.value) }

    private func position(of key: String) -> Int? { entries.firstIndex { $0.key.isIdentical(to: key) } }
}

extension StringMap: RandomAccessCollection {
    public var startIndex: Int { entries.startIndex }
    public var endIndex: Int { entries.endIndex }
    public subscript(position: Int) -> Entry { entries[position] }
}

extension StringMap: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements.map { ($0.0, $0.1) }) }
}

extension StringMap: Equatable {
    public static func == (left: StringMap, right: StringMap) -> Bool {
        if left.count != right.count { return false }
        // Most equal maps have the same order, and need no table.
        if left.elementsEqual(right, by: { $0.key.isIdentical(to: $1.key) && $0.value.isIdentical(to: $1.value) }) {
            return true
        }
        let values = Dictionary(uniqueKeysWithValues: right.entries.map { (ExactString($0.key), $0.value) })
        return left.entries.allSatisfy { values[ExactString($0.key)].isIdentical(to: $0.value) }
    }
}

extension StringMap: CustomStringConvertible {
    public var description: String {
        "[" + entries.map { "\($0.key.debugDescription): \($0.value.debugDescription)" }.joined(separator: ", ") + "]"
    }
}
