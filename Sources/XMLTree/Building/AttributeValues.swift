// The attributes of a new element, as a literal, a dictionary or a sequence.

/// Attributes for a new element, in order. A `nil` value omits its attribute.
///
/// ```swift
/// let service = try MutableElement(
///     "service", attributes: ["type": "stun", "host": host, "port": port.map(String.init)])
/// ```
public struct AttributeValues: Sendable {
    let pairs: [(String, String?)]

    /// Attributes in the order of a sequence.
    public init(_ pairs: some Sequence<(String, String?)>) {
        self.pairs = Array(pairs)
    }

    /// The attributes of a dictionary, in the order of the UTF-8 bytes of their names.
    public init(_ dictionary: [String: String]) {
        pairs = Array(dictionary).sortedByKey().map { ($0.key, $0.value) }
    }
}

extension AttributeValues: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral pairs: (String, String?)...) {
        self.pairs = pairs
    }
}
