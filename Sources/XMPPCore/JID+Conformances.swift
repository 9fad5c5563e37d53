// Equality, text, literals and coding of addresses.

/// Addresses are equal when the bytes of their prepared texts are.
extension JID: Hashable {
    public static func == (one: JID, other: JID) -> Bool {
        one.text.utf8.count == other.text.utf8.count && one.text.utf8.elementsEqual(other.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: .init($0)) }
        // The end of the text, which never contains this byte.
        hasher.combine(0xFF as UInt8)
    }
}

extension JID: LosslessStringConvertible {
    /// The prepared address.
    public var description: String { text }

    /// Reads and prepares an address; `nil` if the text is not an address. ``init(parsing:)`` throws the reason.
    public init?(_ text: String) {
        guard let jid = try? JID(parsing: text) else { return nil }
        self = jid
    }
}

/// An address in source code, such as `"juliet@example.org"`.
///
/// Only a literal without interpolations converts, so no text from outside can trap: the compiler has the text. In
/// `JID("juliet@example.org")`, too, the text is such a literal. Pass a text from outside to ``init(parsing:)``, or as
/// a variable to the initializer that returns `nil`.
extension JID: ExpressibleByStringLiteral {
    /// Prepares the address in a literal. Traps if it is not an address: the source code has a mistake.
    public init(stringLiteral text: StaticString) {
        do throws(JIDError) {
            try self.init(parsing: text.description)
        } catch {
            fatalError("\"\(text)\" is not an address: \(error)")
        }
    }
}

/// Coded as one string.
extension JID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(parsing: container.decode(String.self))
        } catch let error as JIDError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.description, underlyingError: error))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
