// Contacts servers side by side until one of them offers its features, and authenticates with that server.
// AttemptRace.swift decides when each server is tried.

import Logging
import SafeText
import StreamManagement
import XMLTree
import XMPPCore

/// The account's contact to its servers.
struct ServerRace: Sendable {
    let account: JID
    /// The name of the user in SASL.
    let user: String
    let secrets: Secrets
    let configuration: XMPPConnectorConfiguration
    let contexts: TLSContexts
    let resource: RequestedResource
    let logger: Logger

    /// A server that has answered. Nothing is proved to it yet.
    struct Server: Sendable {
        let endpoint: ServerEndpoint
        fileprivate let negotiation: Negotiation
        /// Its features, or its redirection to another server.
        fileprivate let answer: Result<Element, XMPPConnectionError>

        var isEncrypted: Bool { get async { await negotiation.stream.isEncrypted } }

        /// Whether the server may have a proof of the password, and has not confirmed it with its own proof.
        var hasOpenProof: Bool { get async { await negotiation.stream.hasOpenProof } }
    }

    /// The end of a race. Indices are those of the servers.
    struct Outcome: Sendable {
        var winner: (index: Int, server: Server)?
        var failures: [(index: Int, error: XMPPConnectionError)] = []
    }

    private enum Event: Sendable {
        case woken
        case progressed
        case ended(Int, Result<Server, any Error>)
    }

    /// Tries the servers in their order, each beside the silent ones before it, until one answers, all have failed, or
    /// the attempt's time is over.
    ///
    /// - Parameter start: When the attempt began.
    /// - Throws: An error that every server of the account would cause; `CancellationError`.
    func run(_ endpoints: [ServerEndpoint], since start: ContinuousClock.Instant) async throws -> Outcome {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            var alarm: Task<Void, Never>?
            defer {
                alarm?.cancel()
                group.cancelAll()
            }
            var outcome = Outcome()
            var race = AttemptRace(
                count: endpoints.count, stagger: configuration.timeouts.stagger,
                deadline: configuration.timeouts.attempt, at: .now - start)
            var actions = race.wake(at: .now - start)
            var iterator = events.makeAsyncIterator()
            while true {
                for action in actions {
                    switch action {
                    case .start(let index):
                        group.addTask {
                            do {
                                let server = try await contact(endpoints[index]) { continuation.yield(.progressed) }
                                continuation.yield(.ended(index, .success(server)))
                            } catch {
                                continuation.yield(.ended(index, .failure(error)))
                            }
                        }
                    case .wake(let time):
                        alarm?.cancel()
                        alarm = Task {
                            do { try await Task.sleep(until: start + time, clock: .continuous) } catch { return }
                            continuation.yield(.woken)
                        }
                    case .giveUp: return outcome
                    }
                }
                // A canceled task gets no events.
                guard let event = await iterator.next() else { throw CancellationError() }
                switch event {
                case .woken: actions = race.wake(at: .now - start)
                case .progressed: actions = race.progressed(at: .now - start)
                case .ended(let index, .success(let server)):
                    outcome.winner = (index, server)
                    return outcome
                case .ended(let index, .failure(let error)):
                    guard let error = error as? XMPPConnectionError, !error.isOfAccount else { throw error }
                    outcome.failures.append((index, error))
                    actions = race.failed(at: .now - start)
                }
            }
        }
    }

    /// Connects to a server, and reads its features. An encrypted redirection is an answer, too.
    private func contact(_ endpoint: ServerEndpoint, progress: @Sendable () -> Void) async throws -> Server {
        var logger = logger
        logger[metadataKey: "server"] = "\(endpoint.host):\(endpoint.port)"
        logger.debug("connecting")
        let tls = try contexts.context(for: endpoint.security)
        let channel = try await open(endpoint)
        progress()
        let stream = ClientStream(
            channel, limits: configuration.parserLimits, timeouts: configuration.timeouts, logger: logger)
        let negotiation = Negotiation(
            account: account, user: user, credential: secrets.credential, configuration: configuration, stream: stream,
            channel: channel, resource: resource, logger: logger, keep: secrets.keep)
        do {
            let offer = try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await negotiation.open(endpoint.security, tls: tls, progress: progress)
            } onCancel: {
                channel.abort()
            }
            return Server(endpoint: endpoint, negotiation: negotiation, answer: .success(offer))
        } catch {
            let error = try await diagnosed(error, endpoint, negotiation)
            guard let error = error as? XMPPConnectionError, case .streamError(let streamError) = error,
                streamError.otherHost != nil, await stream.isEncrypted
            else { throw error }
            return Server(endpoint: endpoint, negotiation: negotiation, answer: .failure(error))
        }
    }

    /// Authenticates with a server that has answered, until a time at most.
    func authenticate(
        with server: Server, until deadline: ContinuousClock.Instant,
        inline: @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        let (offer, negotiation) = (try server.answer.get(), server.negotiation)
        do {
            return try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await negotiation.authenticate(offer, within: deadline - .now, inline: inline)
            } onCancel: {
                negotiation.channel.abort()
            }
        } catch {
            throw try await diagnosed(error, server.endpoint, negotiation)
        }
    }

    /// Cuts a connection that has failed, and returns its error.
    private func diagnosed(
        _ error: any Error, _ endpoint: ServerEndpoint, _ negotiation: Negotiation
    ) async throws -> any Error {
        negotiation.channel.abort()
        try Task.checkCancellation()
        let isOfSecurity = (error as? XMPPConnectionError)?.isOfSecurity == true
        let text = error is XMPPConnectionError ? "\(error)" : error.loggable
        negotiation.logger.log(level: isOfSecurity ? .warning : .debug, "not connected", metadata: ["error": "\(text)"])
        if case XMPPConnectionError.streamError(var streamError) = error, endpoint.security != .unencrypted,
            await !negotiation.stream.isEncrypted
        {
            streamError.mayNotComeAgain = true
            return XMPPConnectionError.streamError(streamError)
        }
        return error
    }

    private func open(_ endpoint: ServerEndpoint) async throws -> ByteChannel {
        let timeout = configuration.timeouts.attempt
        do {
            // A connection that is made too late is released, which closes it.
            return try await untilCancelled {
                try await ByteChannel.connect(host: endpoint.host, port: endpoint.port, timeout: timeout)
            }
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }
}
