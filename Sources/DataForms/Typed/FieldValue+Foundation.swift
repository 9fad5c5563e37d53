// Addresses and Foundation's types as values of fields.

public import Foundation
import TextValues
public import XMPPCore

/// An address (RFC 7622), written in its prepared form.
extension JID: FieldValue {
    public static var fieldType: FieldType { .jidSingle }
    public static var expectation: String { "an address such as juliet@example.org" }

    @_disfavoredOverload public init?(fieldValue text: String) { self.init(text) }

    public var fieldValue: String { description }
}

/// Date and time (XEP-0082), written in UTC, rounded to milliseconds. Reading assumes UTC if the zone is missing.
extension Date: FieldValue {
    public static var expectation: String { "a date and time such as 2026-01-31T12:00:00Z" }

    @_disfavoredOverload public init?(fieldValue text: String) {
        guard let point = TimePoint(text.trimmingXMLSpace, .dateTime) else { return nil }
        self = Date(timeIntervalSince1970: point.secondsSince1970)
    }

    /// - Throws: `DateTimeError` for a date outside of the years 0001 to 9999.
    public var fieldValue: String { get throws(DateTimeError) { try xmppDateTime } }
}

/// A UUID, read in upper or lower case, and written in lower case.
extension UUID: FieldValue {
    public static var expectation: String { "a UUID" }

    @_disfavoredOverload public init?(fieldValue text: String) {
        var text = text.trimmingXMLSpace
        guard let value = text.withUTF8({ UUIDText.uuid($0) }) else { return nil }
        self = value
    }

    public var fieldValue: String { uuidString.lowercased() }
}

/// A URI. Reading escapes characters that a URI does not have, as XML Schema does with an `xs:anyURI`.
extension URL: FieldValue {
    public static var expectation: String { "a URI" }

    @_disfavoredOverload public init?(fieldValue text: String) {
        let text = text.trimmingXMLSpace
        // Foundation would escape a percent sign that does not begin an escape.
        guard Datatype.isURI(text) else { return nil }
        self.init(string: String(text))
    }

    public var fieldValue: String { absoluteString }
}

/// Bytes in base64. Reading ignores white space.
extension Data: FieldValue {
    public static var expectation: String { "base64" }

    @_disfavoredOverload public init?(fieldValue text: String) {
        var text = text
        guard let bytes = text.withUTF8({ Base64Text.decode($0, isStrict: true) }) else { return nil }
        self.init(bytes)
    }

    public var fieldValue: String { base64EncodedString() }
}
