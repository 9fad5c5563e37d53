// What a session needs of whoever makes connections. How they are found, secured and authenticated is not known here:
// module XMPPTransport does that. StreamSession+Connecting.swift uses it.

public import XMLTree

/// Makes connections: streams that are authenticated.
public protocol StreamConnector: Sendable {
    /// Connects and authenticates.
    ///
    /// - Parameters:
    ///   - location: where to connect to; `nil` for the ordinary place.
    ///   - inline: gives what to put into SASL2's `<authenticate/>` (rule R37), when the server's features are known.
    ///     Is called once for each server that is tried and offers SASL2. What it throws is thrown on.
    /// - Returns: a stream that no resource is bound on, or whose authentication has resumed the session or bound one.
    /// - Throws: whatever kept it from connecting. A ``StreamConnectionError`` says whether trying again makes sense.
    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream

    /// Throws if its connections are for another account than a session's.
    func check(account: String) throws
}

extension StreamConnector {
    /// A connector that does not say whose its connections are makes them for every account.
    public func check(account: String) throws {}
}

/// A connection that ``StreamSession/run(on:features:resuming:inline:)`` can run.
public struct ConnectedStream: Sendable {
    public let transport: any StanzaTransport
    public let features: StreamFeatures
    /// What came of resuming and binding within the authentication; `nil` if that was not part of it.
    public let inline: InlineNegotiation.Result?
    /// Whether nobody on the way can read or change the stream: only then a redirection is followed.
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

/// An error of making connections. An error of another type counts as temporary.
public protocol StreamConnectionError: Error {
    /// Whether trying again would only fail again: a wrong password, say, or an address that is none.
    var isFinal: Bool { get }
}
