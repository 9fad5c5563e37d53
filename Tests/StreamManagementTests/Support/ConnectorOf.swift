// A connector with a test's closure, and results of SASL2 authentications.

import StreamManagement
import StreamSimulator
import XMLTree

/// Connects by calling the closure.
struct ConnectorOf: StreamConnector {
    typealias Inline = @Sendable (StreamFeatures) async throws -> [Element]

    let body: @Sendable (ServerLocation?, @escaping Inline) async throws -> ConnectedStream

    init(_ body: @escaping @Sendable (ServerLocation?, @escaping Inline) async throws -> ConnectedStream) {
        self.body = body
    }

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        try await body(location, inline)
    }
}

extension ConnectedStream {
    /// A stream without an inline result, or with the result of this `<success/>`.
    init(_ server: ScriptedTransport, success: String? = nil) {
        let result = success.map {
            InlineNegotiation.Result(success: element("<success xmlns='urn:xmpp:sasl:2'>\($0)</success>"))
        }
        self.init(transport: server, features: ScriptedTransport.features, inline: result, isEncrypted: true)
    }
}

extension StreamFeatures {
    /// The features of a server that resumes and binds with the authentication.
    static var inline: StreamFeatures {
        var features = StreamFeatures()
        features.supportsInlineResumption = true
        features.supportsInlineBinding = true
        features.inlineBindFeatures = ["urn:xmpp:sm:3"]
        return features
    }
}

extension ReconnectionPolicy {
    /// Without waits, so that every attempt begins at once.
    static let impatient: ReconnectionPolicy = {
        var policy = ReconnectionPolicy()
        policy.first = .zero
        policy.probeInterval = .zero
        return policy
    }()
}
