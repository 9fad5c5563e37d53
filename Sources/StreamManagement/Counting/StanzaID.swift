// The names of a stanza: the application's identifier, and the core's numbers.

/// An application's identifier for a stanza that it sends.
///
/// The default is the stanza's own `id`. It can be any string that finds the stanza in the application's data again:
/// the session reports acknowledgements with it. Identifiers are compared code point by code point, and need not be
/// unique.
public struct StanzaID: RawRepresentable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension StanzaID: Hashable {
    // String's own equality treats canonical equivalents as equal; identifiers are bytes to both sides.
    public static func == (one: StanzaID, other: StanzaID) -> Bool {
        one.rawValue.utf8.elementsEqual(other.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}

extension StanzaID: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        rawValue = value
    }

    public var description: String { rawValue }
}

/// The number of a stanza that one core sends. Never used twice in the life of a stored session.
public struct OutgoingNumber: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static func < (one: OutgoingNumber, other: OutgoingNumber) -> Bool { one.rawValue < other.rawValue }
}

/// The number of a stanza that one core has received and counted. Never used twice by one core.
public struct IncomingNumber: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static func < (one: IncomingNumber, other: IncomingNumber) -> Bool { one.rawValue < other.rawValue }
}
