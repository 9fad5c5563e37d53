// The attributes of a new element, as a literal, a dictionary or a sequence.

/// Attributes for a new element, in order. A `nil` value omits its attribute.
///
/// ```swift
/// let service = try MutableElement(
///     "service", attributes: ["type": "stun", "host": host, "port": port.map(String.init)])
/// ```
public struct AttributeValues: Sendable {
    let pairs: [(name: String, value: String?)]

    /// Attributes in the order of a sequence.
    public init(_ pairs: some Sequence<(String, String?)>) {
        self.pairs = pairs.map { (name: $0.0, value: $0.1) }
    }

    /// The attributes of a dictionary, in the order of their names.
    public init(_ dictionary: [String: String]) {
        pairs = dictionary.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
}

extension AttributeValues: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral pairs: (String, String?)...) {
        self.init(pairs)
    }
}
