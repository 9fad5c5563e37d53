// What names a stanza: to the application, and to the core.

/// What an application calls a stanza that it sends.
///
/// By default it is the stanza's own `id`. It can be anything that finds the stanza in the application's data again:
/// acknowledgements are reported with it. Identifiers are told apart code point by code point, and need not be unique.
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
    // String's own equality takes canonical equivalents for equal; identifiers are bytes to both sides.
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

/// Which stanza it is among all that one core was given to send. Never used twice in the life of a stored session.
public struct OutgoingNumber: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static func < (one: OutgoingNumber, other: OutgoingNumber) -> Bool { one.rawValue < other.rawValue }
}

/// Which stanza it is among all that one core has received and counted. Never used twice by one core.
public struct IncomingNumber: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static func < (one: IncomingNumber, other: IncomingNumber) -> Bool { one.rawValue < other.rawValue }
}
