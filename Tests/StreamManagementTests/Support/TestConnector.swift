// Connectors of tests: one to scripted servers, and one that is a closure.

import Locking
import Simulators
import StreamManagement
import TestSupport
import XMLTree

/// A connector to scripted servers.
final class TestConnector: StreamConnector, Changing {
    let changes = Changes()

    struct Failure: StreamConnectionError, Equatable {
        let isFinal: Bool
        var isRefusedLogin = false
    }

    private struct State {
        var places: [String?] = []
        var servers: [ScriptedTransport] = []
        var errors: [Failure]
    }

    private let state: Lock<State>
    private let failing: Set<String>
    private let isEncrypted: Bool
    private let asksInline: Bool
    private let makeServer: @Sendable (_ place: String?) throws -> ScriptedTransport

    /// The server of each place enables stream management, unless a test makes another one.
    init(
        location: String? = nil, failing: Set<String> = [], errors: [Failure] = [], isEncrypted: Bool = true,
        asksInline: Bool = false, server makeServer: (@Sendable (_ place: String?) throws -> ScriptedTransport)? = nil
    ) {
        self.asksInline = asksInline
        let location = location.map { " location='\($0)'" } ?? ""
        self.makeServer =
            makeServer ?? { _ in
                ScriptedTransport { heard in
                    heard.hasPrefix("<enable ") ? ["<sm:enabled id='s' resume='true'\(location)/>"] : []
                }
            }
        state = Lock(State(errors: errors))
        self.failing = failing
        self.isEncrypted = isEncrypted
    }

    /// The places that the session asked it to connect to.
    var places: [String?] { state.withLock { $0.places } }

    /// Waits for the server of a connection, counted from 1.
    func server(_ count: Int) async throws -> ScriptedTransport {
        try await until { $0.state.withLock { $0.servers.count >= count } }
        return state.withLock { $0.servers[count - 1] }
    }

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        defer { changes.note() }
        state.withLock { $0.places.append(location?.description) }
        changes.note()
        if asksInline { _ = try await inline(ScriptedTransport.features) }
        let transport = try state.withLock { state in
            if let place = location?.description, failing.contains(place) { throw Failure(isFinal: false) }
            if !state.errors.isEmpty { throw state.errors.removeFirst() }
            let server = try makeServer(location?.description)
            state.servers.append(server)
            return server
        }
        return ConnectedStream(transport: transport, features: ScriptedTransport.features, isEncrypted: isEncrypted)
    }
}
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
