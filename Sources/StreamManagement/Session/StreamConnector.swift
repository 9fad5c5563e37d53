// A session's requirements of a component that makes connections. Module XMPPTransport finds, secures and authenticates
// them. ConnectingLoop.swift uses it.

public import XMLTree
public import XMPPCore

/// Makes authenticated connections for a session.
public protocol StreamConnector: Sendable {
    /// Connects and authenticates.
    ///
    /// - Parameters:
    ///   - location: the place to connect to; `nil` for the ordinary place.
    ///   - inline: returns the elements for SASL2's `<authenticate/>` (rule R37) from the server's features. Call it
    ///     once for each tried server that offers SASL2, and rethrow its errors.
    /// - Returns: a stream without a bound resource, or one whose authentication resumed the session or bound one.
    /// - Throws: the reason why it could not connect. A ``StreamConnectionError`` reports whether the error is final.
    ///   Also the errors of `inline`, and `CancellationError`.
    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream

    /// Checks that its connections are for the account of a session.
    ///
    /// - Throws: an error of its own if they are for another account.
    func check(account: JID) throws
}

extension StreamConnector {
    /// Accepts every account.
    public func check(account: JID) {}
}

/// A connection that ``StreamSession/run(on:features:resuming:inline:)`` can run.
public struct ConnectedStream: Sendable {
    public let transport: any StanzaTransport
    public let features: StreamFeatures
    /// The result of resuming and binding within the authentication; `nil` if neither was part of it.
    public let inline: InlineNegotiation.Result?
    /// Whether the stream is encrypted. The session follows a redirection only from an encrypted stream.
    public let isEncrypted: Bool

    public init(
        transport: any StanzaTransport, features: StreamFeatures, inline: InlineNegotiation.Result? = nil,
        isEncrypted: Bool
    ) {
        self.transport = transport
        self.features = features
        self.inline = inline
        self.isEncrypted = isEncrypted
    }
}

/// An error of making or using connections. An error of another type counts as temporary, and not as a reset.
public protocol StreamConnectionError: Error {
    /// Whether another attempt would fail again, such as with a wrong password or an invalid address.
    var isFinal: Bool { get }
    /// Whether the server has refused the login (RFC 6120 §6.5.10). By default it has not.
    var isRefusedLogin: Bool { get }
    /// Whether the other side has ended a connection without ending the stream: a server may do that because of a
    /// stanza (D50). By default it has not.
    var isReset: Bool { get }
}

extension StreamConnectionError {
    public var isRefusedLogin: Bool { false }

    public var isReset: Bool { false }
}
