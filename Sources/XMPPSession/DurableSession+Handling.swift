// One transaction for each stanza.

import Handlers
import Persistence
import StreamManagement
import XMLTree

extension DurableSession {
    /// Handles stanzas, one after the other, until the task is cancelled or the session closed.
    func handleStanzas() async {
        for await stanza in stream.stanzas {
            if Task.isCancelled || isSuspending { break }
            isAtWork = true
            await handle(stanza)
            isAtWork = false
            if isSuspending { break }
        }
        whenIdle?.finish()
        whenIdle = nil
    }

    private func handle(_ stanza: ReceivedStanza) async {
        while !Task.isCancelled {
            do {
                try await database.collect { database in
                    let work = StanzaWork(database, of: self)
                    try await dispatch(stanza.element, work)
                    return work
                } commit: { database, work in
                    try await stream.settle(stanza, with: database, sending: work.takeStanzas())
                }
                return
            } catch {
                switch HandlingFailure(error) {
                case .comesAgain: return
                case .databaseIsBusy: try? await Task.sleep(for: Self.pauseForDatabase)
                case .failed:
                    logger.warning(
                        "a stanza could not be handled", metadata: ["error": "\(HandlingFailure.loggable(error))"])
                    // Offered again, or set aside (rule R40). A storage that fails has ended the stream.
                    try? await stream.markFailed(stanza)
                    return
                }
            }
        }
    }

    /// How long a database that is busy or full is left alone.
    private static let pauseForDatabase = Duration.seconds(1)

    private func dispatch(_ stanza: Element, _ work: StanzaWork) async throws {
        let isAnswer = stanza.name == "iq" && (stanza["type"] == "result" || stanza["type"] == "error")
        if isAnswer { return try await answer(with: stanza, work) }
        let matching = try routes.matching(stanza)
        for body in matching { try await body(stanza, work) }
        if matching.isEmpty, stanza.name == "iq" { try work.send(StanzaError.serviceUnavailable.reply(to: stanza)) }
    }
}
