// Swift types as values of fields.

/// A type whose values a field holds as one text each.
///
/// An enumeration of strings needs only the declaration of its conformance. With `CaseIterable`, it is a list that
/// offers its cases:
///
/// ```swift
/// enum Whois: String, CaseIterable, FieldValue { case anyone, moderators }
/// ```
public protocol FieldValue: Sendable {
    /// The type of a field with one such value.
    static var fieldType: FieldType { get }

    /// The options of a list of such values.
    static var fieldOptions: [FieldOption] { get }

    // The attribute keeps `compactMap(Int.init)` unambiguous: it means the initializer of the standard library.
    /// Reads a value; `nil` when the text is not one.
    @_disfavoredOverload init?(fieldValue text: String)

    /// The text of the value, which `init(fieldValue:)` reads.
    ///
    /// - Throws: The reason why the value has no text. Of the types of this module, only `Date` throws.
    var fieldValue: String { get throws }

    /// The expected form of a value, as a phrase for the error about other texts.
    static var expectation: String { get }
}

extension FieldValue {
    public static var fieldType: FieldType { .textSingle }
    public static var fieldOptions: [FieldOption] { [] }
    public static var expectation: String { "\(Self.self)" }
}

extension FieldValue where Self: RawRepresentable, RawValue == String {
    /// Reads a case. Its raw value has the same code points: `init(rawValue:)` compares canonical equivalents.
    @_disfavoredOverload public init?(fieldValue text: String) {
        guard let value = Self(rawValue: text), value.rawValue.isIdentical(to: text) else { return nil }
        self = value
    }

    public var fieldValue: String { rawValue }
}

extension FieldValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    public static var fieldType: FieldType { .listSingle }
    public static var fieldOptions: [FieldOption] { allCases.map { FieldOption($0.rawValue) } }
    public static var expectation: String { allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ") }
}

extension String: FieldValue {
    @_disfavoredOverload public init(fieldValue text: String) { self = text }
    public var fieldValue: String { self }
    public static var expectation: String { "text" }
}

/// `true`, `1`, `false` or `0` (XEP-0004 §3.3). Reading ignores white space around them and around numbers, as XML
/// Schema does, by which values are validated.
extension Bool: FieldValue {
    public static var fieldType: FieldType { .boolean }
    public static var expectation: String { "true, 1, false or 0" }

    @_disfavoredOverload public init?(fieldValue text: String) { self.init(exactFieldValue: text.trimmingXMLSpace) }

    /// Reads a value without white space around it.
    init?(exactFieldValue text: some StringProtocol) {
        switch text {
        case "true", "1": self = true
        case "false", "0": self = false
        default: return nil
        }
    }

    public var fieldValue: String { self ? "true" : "false" }
}

extension FieldValue where Self: FixedWidthInteger {
    @_disfavoredOverload public init?(fieldValue text: String) { self.init(text.trimmingXMLSpace, radix: 10) }
    public var fieldValue: String { String(self) }
    public static var expectation: String { "a whole number from \(Self.min) to \(Self.max)" }
}

extension Int: FieldValue {}
extension Int8: FieldValue {}
extension Int16: FieldValue {}
extension Int32: FieldValue {}
extension Int64: FieldValue {}
extension UInt: FieldValue {}
extension UInt8: FieldValue {}
extension UInt16: FieldValue {}
extension UInt32: FieldValue {}
extension UInt64: FieldValue {}

/// A decimal number, perhaps with an exponent, or `INF`, `-INF` or `NaN` (XML Schema part 2, `double`). A number beyond
/// the range of the type is not a value.
extension Double: FieldValue {
    public static var expectation: String { "a number" }

    @_disfavoredOverload public init?(fieldValue text: String) {
        let text = text.trimmingXMLSpace
        guard let value = Datatype.float(text), value.isFinite || !text.utf8.contains(where: Datatype.isDigit) else {
            return nil
        }
        self = value
    }

    public var fieldValue: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-INF" : "INF" }
        return description
    }
}
