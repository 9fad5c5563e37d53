// Addresses and Foundation's types as values of fields.

public import Foundation
public import XMPPCore

/// An address (RFC 7622), written in its prepared form.
extension JID: FieldValue {
    public static var fieldType: FieldType { .jidSingle }
    public static var expectation: String { "an address such as juliet@example.org" }

    public init?(fieldValue text: String) { self.init(text) }

    public var fieldValue: String { description }
}

/// Date and time (XEP-0082), written in UTC, with milliseconds. Reading assumes UTC if the zone is missing.
extension Date: FieldValue {
    public static var expectation: String { "a date and time such as 2026-01-31T12:00:00Z" }

    public init?(fieldValue text: String) {
        guard let point = TimePoint(text.trimmingXMLSpace, .dateTime) else { return nil }
        self = Date(timeIntervalSince1970: point.secondsSince1970)
    }

    public var fieldValue: String { xmppDateTime }
}

/// A UUID, read in upper or lower case, and written in lower case.
extension UUID: FieldValue {
    public static var expectation: String { "a UUID" }

    public init?(fieldValue text: String) { self.init(uuidString: String(text.trimmingXMLSpace)) }

    public var fieldValue: String { uuidString.lowercased() }
}

extension URL: FieldValue {
    public static var expectation: String { "a URI" }

    public init?(fieldValue text: String) { self.init(string: String(text.trimmingXMLSpace)) }

    public var fieldValue: String { absoluteString }
}

/// Bytes in Base64.
extension Data: FieldValue {
    public static var expectation: String { "base64" }

    public init?(fieldValue text: String) {
        self.init(base64Encoded: text.filter { !" \t\r\n".utf8.contains($0.utf8.first ?? 0) })
    }

    public var fieldValue: String { base64EncodedString() }
}
