// Stanzas: from the stream to the core, and back if they are not handled.

import SessionCore
import StreamManagement
import XMLTree

extension DurableSession {
    /// Passes received stanzas to the core, until it takes no more.
    func read() async {
        while true {
            await waitToRead()
            let stanzas = await stream.takeStanzas(atMost: limits.incomingCount, bytes: limits.batchSize)
            if stanzas.isEmpty { return }
            for (stanza, isSuspect) in stanzas {
                let number = update { $0.deliveries.add(stanza) }
                handle(
                    .received(
                        Core.Stanza(
                            number: number, isAnswer: Requests.isAnswer(stanza.element),
                            isCounted: stanza.number != nil, isSuspect: isSuspect)))
            }
            guard case .running = phase else { return }
        }
    }

    /// Keeps stanzas that are not handled until the stream takes them back, in their order.
    func putBack(_ numbers: [Core.StanzaNumber]) {
        update { tables in
            for number in numbers {
                if let stanza = tables.deliveries.remove(number)?.stanza { tables.returned.append((number, stanza)) }
            }
        }
        for attempt in update({ $0.attempts.all { $0.stanza.map(numbers.contains) == true } }) { drop(attempt) }
    }

    /// Ends reading, and gives the stream the stanzas that are not handled.
    func stopReading() async {
        let (reading, retrying) = update { tables in
            defer { (tables.reading, tables.retrying) = (nil, nil) }
            return (tables.reading, tables.retrying)
        }
        // It commits nothing any more. The next run tries the rest again.
        retrying?.cancel()
        await endAttempt()
        reading?.cancel()
        await stream.stopFollowing()
        await reading?.value
        let returned = update { tables in
            defer { tables.returned = [] }
            return tables.returned
        }
        if returned.isEmpty { return }
        await stream.putBack(returned.sorted { $0.number < $1.number }.map(\.stanza))
    }

    // MARK: Look-ups

    func lookUp(_ number: Core.AccessNumber, _ stanzas: [Core.StanzaNumber]) {
        let elements = update { tables in stanzas.map { tables.deliveries[$0]?.stanza.element } }
        addOperation { [rows] in
            do {
                let found = try await rows.requests(answeredBy: elements)
                await self.found(number, Array(zip(stanzas, found)))
            } catch {
                await self.notFound(number, error)
            }
        }
    }

    private func found(_ number: Core.AccessNumber, _ found: [(Core.StanzaNumber, StoredRequest?)]) {
        update { tables in for (stanza, found) in found { tables.deliveries.note(found, for: stanza) } }
        let matches = found.map { _, found in
            found.map { Core.Match(serial: Core.Serial(rawValue: $0.serial)) }
        }
        handle(.found(number, matches))
    }

    private func notFound(_ number: Core.AccessNumber, _ error: any Error) {
        update { $0.databaseError = error }
        handle(.notFound(number, Core.DatabaseFailure(error)))
    }

    // MARK: Failures

    /// The stream counts a failure of a stanza (rule R40).
    func countFailure(_ number: Core.StanzaNumber) {
        let delivery = update { $0.deliveries[number] }
        addOperation { [stream] in
            var verdict = HandlingVerdict.comesAgain
            if let delivery {
                let counted = try? await stream.countFailure(of: delivery.stanza, because: delivery.error)
                // A storage that fails has counted nothing. After a temporary failure, the session stores the count
                // later.
                verdict = counted ?? .again
            }
            await self.failureCounted(number, verdict)
        }
    }

    private func failureCounted(_ number: Core.StanzaNumber, _ verdict: HandlingVerdict) {
        if verdict != .again { update { _ = $0.deliveries.remove(number) } }
        let verdict: Core.Verdict =
            switch verdict {
            case .again: .again
            case .deadLettered: .deadLettered
            case .comesAgain: .comesAgain
            }
        handle(.failureCounted(number, verdict))
    }

    /// Gives up a stanza that the server does not count. The stream reports it like one that it counts, so that the
    /// database notes that the request gets no answer.
    func deadLetter(_ number: Core.StanzaNumber) {
        guard let delivery = update({ $0.deliveries.remove(number) }) else { return }
        let attempts = limits.attempts
        addOperation { [stream] in
            await stream.reportDeadLetter(delivery.stanza.element, attempts: attempts, because: delivery.error)
        }
    }
}
