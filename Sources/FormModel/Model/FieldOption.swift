// An option of a list (XEP-0004 §3.2).

public import XMLTree

/// One of the values that a field of type `list-single` or `list-multi` offers.
///
/// ```swift
/// let limit = FormField("maxsubs", .listSingle, options: ["10", "20", FieldOption("none", label: "No limit")])
/// ```
public struct FieldOption: Sendable, Hashable {
    public var value: String
    /// The text shown in place of the value.
    public var label: String?

    public init(_ value: String, label: String? = nil) {
        self.value = value
        self.label = label
    }

    /// Code points are compared, without canonical equivalence.
    public static func == (one: FieldOption, other: FieldOption) -> Bool {
        one.value.isIdentical(to: other.value) && one.label.isIdentical(to: other.label)
    }
}

extension FieldOption: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension [FieldOption] {
    /// Value → label. An option without label has its value as label; of two with one value the last label counts.
    public var labels: StringMap { StringMap(map { (key: $0.value, value: $0.label ?? $0.value) }) }
}
