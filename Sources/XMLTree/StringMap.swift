// An ordered map between strings that compares their code points.
//
// `Dictionary<String, …>` treats canonically equivalent keys as equal; XML names and values are not (rule 1.1).
// Attributes (`@@`) and the options of form fields use such maps. They are small, so a lookup is linear.

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

    private func position(of key: String) -> Int? {
        entries.firstIndex { $0.key.isIdentical(to: key) }
    }
}

extension StringMap: RandomAccessCollection {
    public var startIndex: Int { entries.startIndex }
    public var endIndex: Int { entries.endIndex }
    public subscript(position: Int) -> Entry { entries[position] }
}

extension StringMap: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { (key: $0.0, value: $0.1) })
    }
}

extension StringMap: Equatable {
    public static func == (left: StringMap, right: StringMap) -> Bool {
        guard left.count == right.count else { return false }
        // Most equal maps have the same order, and need no table.
        if left.elementsEqual(right, by: { $0.key.isIdentical(to: $1.key) && $0.value.isIdentical(to: $1.value) }) {
            return true
        }
        var positions: [ExactString: Int] = [:]
        for (position, entry) in right.entries.enumerated() { positions[ExactString(entry.key)] = position }
        return left.entries.allSatisfy { entry in
            positions[ExactString(entry.key)].map { right.entries[$0].value.isIdentical(to: entry.value) } ?? false
        }
    }
}

extension StringMap: CustomStringConvertible {
    public var description: String {
        "[" + entries.map { "\($0.key.debugDescription): \($0.value.debugDescription)" }.joined(separator: ", ") + "]"
    }
}
