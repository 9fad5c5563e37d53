// The requirements on the values of a field, beyond its type (XEP-0122). DataForms applies them.

/// The validation of a field.
///
/// ```swift
/// let range = FieldValidation("xs:integer", .range(min: "1", max: "65535"))
/// let port = FormField("port", .textSingle, validation: range)
/// ```
public struct FieldValidation: Sendable, Hashable {
    /// The datatype of the values, `xs:…`; `nil` and unknown datatypes count as `xs:string`.
    public var datatype: String?
    public var method: Method
    /// How many values a field of type `list-multi` may have.
    public var listRange: ListRange?

    /// How values are validated, besides by the datatype.
    public enum Method: Sendable, Hashable {
        /// By type and datatype alone. An unknown method counts as this one.
        case basic
        /// Lists take values that are not among the options; each line of a `text-multi` is a value.
        case open
        /// Not less than one bound, and not more than the other, in the order of the datatype.
        case range(min: String?, max: String?)
        /// The whole value matches a POSIX extended regular expression.
        case regex(String)
    }

    /// Bounds for the number of values.
    public struct ListRange: Sendable, Hashable {
        public var min: Int?
        public var max: Int?

        public init(min: Int? = nil, max: Int? = nil) {
            self.min = min
            self.max = max
        }
    }

    public init(_ datatype: String? = nil, _ method: Method = .basic, listRange: ListRange? = nil) {
        self.datatype = datatype
        self.method = method
        self.listRange = listRange
    }

    /// Code points are compared, without canonical equivalence.
    public static func == (one: FieldValidation, other: FieldValidation) -> Bool {
        one.datatype.isIdentical(to: other.datatype) && one.method == other.method && one.listRange == other.listRange
    }
}

extension FieldValidation.Method {
    /// Code points are compared, without canonical equivalence.
    public static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.basic, .basic), (.open, .open): true
        case (.range(let min, let max), .range(let otherMin, let otherMax)):
            min.isIdentical(to: otherMin) && max.isIdentical(to: otherMax)
        case (.regex(let one), .regex(let other)): one.isIdentical(to: other)
        default: false
        }
    }
}
