// Messages that are sent, until the last one is acknowledged.

import Foundation
import GRDB
import Persistence
import StreamManagement
import XMLTree
import XMPPSession

struct Sending {
    let server: LoopbackServer
    let folder: URL
    let count: Int

    private static let senders = 100

    func measure() async throws {
        // Ways that cost a thousandth send more messages.
        let many = count * 20
        let loop = try await Measurement(many, server) { try SocketLoop.send(many, to: server) }
        var table = Table("sending")
        table.add(loop.row("a loop on a socket", loop: loop, unstored: nil))
        let unstored = try await stream(MemoryStorage(servesSeveralAccounts: true), many)
        table.add(unstored.row("StreamSession, in memory", loop: loop, unstored: unstored))
        let byHand = try await commits()
        table.add(byHand.row("no session: a commit by hand for each", loop: loop, unstored: unstored))
        let stored = try await stream(try await Sessions.database(in: folder), count)
        table.add(stored.row("StreamSession, in SQLite", loop: loop, unstored: unstored))
        for size in [1, 10, 100] {
            let count = size == 1 ? count : many
            let measured = try await durable(count) { session, message in
                for _ in 0..<(count / size) {
                    if size == 1 {
                        try await session.send(message)
                    } else {
                        try await session.transaction { work in for _ in 0..<size { try work.send(message) } }
                    }
                }
            }
            let name = size == 1 ? "DurableSession" : "DurableSession, \(size) together"
            table.add(measured.row(name, loop: loop, unstored: unstored))
        }
        let direct = try await durable(many) { session, message in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.senders {
                    group.addTask { for _ in 0..<(many / Self.senders) { try await session.send(message) } }
                }
                try await group.waitForAll()
            }
        }
        table.add(direct.row("DurableSession, \(Self.senders) tasks that send", loop: loop, unstored: unstored))
        table.print()
    }

    /// The rate that the disk allows: a row with each commit.
    private func commits() async throws -> Measurement {
        let database = try await Sessions.database(in: folder)
        let bytes = Data(Message.text.utf8)
        return try await Measurement(count, server) {
            for _ in 0..<count {
                try await database.write { transaction in
                    try transaction.db.execute(sql: "INSERT INTO inbox (stanza) VALUES (?)", arguments: [bytes])
                }
            }
        }
    }

    private func stream(_ storage: some StreamManagementStorage, _ count: Int) async throws -> Measurement {
        let session = try await Sessions.stream(storage)
        let connector = try Sessions.connector(to: server)
        let running = Task { try await session.run(connecting: connector) }
        try await Sessions.enabled(session)
        let message = try Message.element()
        let measured = try await Measurement(count, server) {
            var last: SentStanza?
            for _ in 0..<count { last = try await session.send(message) }
            try await acknowledged(last, session)
        }
        await session.close()
        _ = try await running.value
        return measured
    }

    private func durable(
        _ count: Int, _ send: (DurableSession, Element) async throws -> Void
    ) async throws -> Measurement {
        let session = try await Sessions.durable(try await Sessions.database(in: folder), .row)
        let connector = try Sessions.connector(to: server)
        let running = Task { try await session.run(connecting: connector) }
        try await Sessions.enabled(session.stream)
        let message = try Message.element()
        let measured = try await Measurement(count, server) {
            try await send(session, message)
            try await acknowledged(nil, session.stream)
        }
        await session.close()
        _ = try await running.value
        return measured
    }

    /// Requests an acknowledgement after the last one, which may not complete five, and waits for the answer.
    private func acknowledged(_ last: SentStanza?, _ stream: StreamSession) async throws {
        try await stream.requestAcknowledgement()
        if let last {
            _ = await last.outcome()
        } else {
            while await !stream.unacknowledged.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        }
    }
}
