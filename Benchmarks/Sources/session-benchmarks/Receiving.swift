// Messages that are received and handled, until the server knows.

import Foundation
import Persistence
import StreamManagement
import XMLTree
import XMPPSession

struct Receiving {
    let server: LoopbackServer
    let folder: URL
    let count: Int

    func measure() async throws {
        let many = count * 20
        let loop = try await Measurement(many, server) { try await SocketLoop.receive(many, from: server) }
        var table = Table("receiving")
        table.add(loop.row("a loop on a socket", loop: loop, unstored: nil))
        let unstored = try await stream(MemoryStorage(servesSeveralAccounts: true), many)
        table.add(unstored.row("StreamSession, in memory", loop: loop, unstored: unstored))
        let stored = try await stream(try await Sessions.database(in: folder), count)
        table.add(stored.row("StreamSession, in SQLite", loop: loop, unstored: unstored))
        for handling in Handling.allCases {
            let measured = try await durable(handling)
            table.add(measured.row(handling.name, loop: loop, unstored: unstored))
        }
        table.print()
    }

    private func stream(_ storage: some StreamManagementStorage, _ count: Int) async throws -> Measurement {
        let session = try await Sessions.stream(storage)
        let connector = try Sessions.connector(to: server)
        let running = Task { try await session.run(connecting: connector) }
        let consuming = Task { for await _ in session.stanzas {} }
        try await Sessions.enabled(session)
        let measured = try await handled(count) { try await session.send($0) }
        await session.close()
        _ = try await running.value
        await consuming.value
        return measured
    }

    private func durable(_ handling: Handling) async throws -> Measurement {
        let session = try await Sessions.durable(try await Sessions.database(in: folder), handling)
        let connector = try Sessions.connector(to: server)
        let running = Task { try await session.run(connecting: connector) }
        try await Sessions.enabled(session.stream)
        let measured = try await handled(count, oneAtATime: handling == .rowOneAtATime) { try await session.send($0) }
        await session.close()
        _ = try await running.value
        return measured
    }

    /// From a presence that asks for the messages until the last one is acknowledged.
    private func handled(
        _ count: Int, oneAtATime: Bool = false, _ send: (Element) async throws -> SentStanza
    ) async throws -> Measurement {
        let acknowledgements = server.acknowledgements(sending: count, oneAtATime: oneAtATime)
        let presence = try Element(stanza: "<presence/>")
        return try await Measurement(count, server) {
            _ = try await send(presence)
            for await handled in acknowledgements where handled >= count { break }
        }
    }
}
