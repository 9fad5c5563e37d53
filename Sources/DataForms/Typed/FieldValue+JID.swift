// Addresses as values of fields.

public import XMPPCore

/// An address (RFC 7622), written in its prepared form.
extension JID: FieldValue {
    public static var fieldType: FieldType { .jidSingle }
    public static var expectation: String { "an address such as juliet@example.org" }

    public init?(fieldValue text: String) { self.init(text) }

    public var fieldValue: String { description }
}
