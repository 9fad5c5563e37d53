// Swift types as the text of an attribute or an element. The conversions are those of the query language, strict: white
// space around a number is not part of it.

public import Foundation
import TextValues
import XMLTree
public import XMPPCore

/// A type whose values an attribute or the text of an element holds.
///
/// An enumeration with raw values needs only the declaration of its conformance:
///
/// ```swift
/// enum Affiliation: String, CaseIterable, PayloadValue { case owner, admin, member, outcast, none }
/// ```
///
/// Another type needs the two requirements about text.
public protocol PayloadValue {
    /// The expected form of a value, as a phrase for the error about other texts.
    static var payloadExpectation: String { get }

    // The attribute keeps `compactMap(Int.init)` unambiguous: it means the initializer of the standard library.
    /// Reads a value; `nil` when the text is not one.
    @_disfavoredOverload init?(payloadText text: String)

    /// The text of the value, which `init(payloadText:)` reads; `nil` for a value without a text, such as a date after
    /// the year 9999.
    var payloadText: String? { get }

    /// Reads a value from UTF-8. The types of this module make no `String` for it.
    @_documentation(visibility: internal)
    static func _value(_ text: UnsafeBufferPointer<UInt8>) -> Self?
}

extension PayloadValue {
    public static var payloadExpectation: String { "\(Self.self)" }

    public static func _value(_ text: UnsafeBufferPointer<UInt8>) -> Self? {
        Self(payloadText: String(decoding: text, as: UTF8.self))
    }

    /// Reads a type whose own reader takes bytes.
    fileprivate init?(bytesOf text: String) {
        guard let value = text.withBytes({ Self._value($0) }) else { return nil }
        self = value
    }
}

extension PayloadValue where Self: RawRepresentable, RawValue: PayloadValue {
    public static var payloadExpectation: String { RawValue.payloadExpectation }

    @_disfavoredOverload public init?(payloadText text: String) {
        guard let raw = RawValue(payloadText: text) else { return nil }
        self.init(rawValue: raw)
    }

    public var payloadText: String? { rawValue.payloadText }
}

extension PayloadValue where Self: RawRepresentable, RawValue == String {
    /// Reads a case. Its raw value has the same code points: `init(rawValue:)` compares canonical equivalents.
    @_disfavoredOverload public init?(payloadText text: String) {
        guard let value = Self(rawValue: text), value.rawValue.isIdentical(to: text) else { return nil }
        self = value
    }
}

extension PayloadValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    public static var payloadExpectation: String { allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ") }
}

extension String: PayloadValue {
    public static var payloadExpectation: String { "text" }
    @_disfavoredOverload public init(payloadText text: String) { self = text }
    public var payloadText: String? { self }
}

/// `true`, `1`, `false` or `0`, written as a word (XML Schema part 2, `boolean`).
extension Bool: PayloadValue {
    public static var payloadExpectation: String { "true, 1, false or 0" }
    @_disfavoredOverload public init?(payloadText text: String) { self.init(bytesOf: text) }
    public var payloadText: String? { self ? "true" : "false" }
    public static func _value(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
        NumberText.bool(text, isStrict: true)
    }
}

extension PayloadValue where Self: FixedWidthInteger {
    public static var payloadExpectation: String { "a whole number from \(Self.min) to \(Self.max)" }
    @_disfavoredOverload public init?(payloadText text: String) { self.init(bytesOf: text) }
    public var payloadText: String? { description }
    public static func _value(_ text: UnsafeBufferPointer<UInt8>) -> Self? {
        isSigned
            ? NumberText.int(text, isStrict: true).flatMap { Self(exactly: $0) }
            : NumberText.uint(text, isStrict: true).flatMap { Self(exactly: $0) }
    }
}

extension Int: PayloadValue {}
extension Int8: PayloadValue {}
extension Int16: PayloadValue {}
extension Int32: PayloadValue {}
extension Int64: PayloadValue {}
extension UInt: PayloadValue {}
extension UInt8: PayloadValue {}
extension UInt16: PayloadValue {}
extension UInt32: PayloadValue {}
extension UInt64: PayloadValue {}

/// A decimal number, perhaps with an exponent. Infinities and NaN have no text.
extension Double: PayloadValue {
    public static var payloadExpectation: String { "a number" }
    @_disfavoredOverload public init?(payloadText text: String) { self.init(bytesOf: text) }
    public var payloadText: String? { isFinite ? description : nil }
    public static func _value(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        NumberText.double(text, isStrict: true)
    }
}

/// Date and time (XEP-0082), written in UTC, rounded to milliseconds.
extension Date: PayloadValue {
    public static var payloadExpectation: String { "a date and time such as 2026-01-31T12:00:00Z" }
    @_disfavoredOverload public init?(payloadText text: String) { self.init(bytesOf: text) }
    public var payloadText: String? { try? xmppDateTime }
    public static func _value(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        DateTimeText.secondsSince1970(text).map { Date(timeIntervalSince1970: $0) }
    }
}

/// Bytes in base64. Reading ignores white space between its characters.
extension Data: PayloadValue {
    public static var payloadExpectation: String { "base64" }
    @_disfavoredOverload public init?(payloadText text: String) { self.init(bytesOf: text) }
    public var payloadText: String? { base64EncodedString() }
    public static func _value(_ text: UnsafeBufferPointer<UInt8>) -> Data? {
        Base64Text.decode(text, isStrict: true).map { Data($0) }
    }
}

/// A UUID, read in upper or lower case, and written in lower case.
extension UUID: PayloadValue {
    public static var payloadExpectation: String { "a UUID" }
    @_disfavoredOverload public init?(payloadText text: String) { self.init(bytesOf: text) }
    public var payloadText: String? { uuidString.lowercased() }
    public static func _value(_ text: UnsafeBufferPointer<UInt8>) -> UUID? { UUIDText.uuid(text) }
}

extension URL: PayloadValue {
    public static var payloadExpectation: String { "a URI" }
    /// `init(string:)` would encode the characters that no URI has.
    @_disfavoredOverload public init?(payloadText text: String) {
        guard let url = URL(string: text), url.absoluteString.isIdentical(to: text) else { return nil }
        self = url
    }
    public var payloadText: String? { absoluteString }
}

/// An address (RFC 7622), written in its prepared form.
extension JID: PayloadValue {
    public static var payloadExpectation: String { "an address such as juliet@example.org" }
    @_disfavoredOverload public init?(payloadText text: String) { self.init(text) }
    public var payloadText: String? { description }
}
