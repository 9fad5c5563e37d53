// The end of a run: without faults, the session runs until it has no work left.

import Foundation
import GRDB
import Persistence
import XMLTree
import XMPPSession

struct Settling {
    let probe: ProbeSession

    func run() async {
        let running = Task {
            while !Task.isCancelled {
                await probe.run()
                await pause()
            }
        }
        // The server has handled the presence, and delivered the messages that it had kept.
        while !(await isAcknowledged()) { await pause() }
        // ejabberd may have been about to keep a message when the account's presence came, and keeps it until the next
        // one.
        await sendUntilTaken { try ProbeSession.presence(isAvailable: false) }
        await sendUntilTaken { try ProbeSession.presence() }
        while !(await isAcknowledged()) { await pause() }
        // Bob's answer comes after all his messages.
        var count = 0
        while !(await isMarked()) {
            if count % 100 == 0 {
                let id = "marker-\(probe.setup.life)-\(count)"
                await sendUntilTaken { try ProbeSession.message(id) }
            }
            count += 1
            await pause()
        }
        while true {
            if await isAcknowledged(), await isAnswered() { break }
            await pause()
        }
        await probe.session.close(waiting: .seconds(1))
        running.cancel()
        _ = await running.value
    }

    private func pause() async { try? await Task.sleep(for: .milliseconds(20)) }

    private func sendUntilTaken(_ stanza: () throws -> Element) async {
        while (try? await probe.session.send(stanza())) == nil { await pause() }
    }

    private func isAcknowledged() async -> Bool {
        let stream = probe.session.stream
        guard await stream.state == .enabled else { return false }
        return await stream.unacknowledged.isEmpty
    }

    private func isMarked() async -> Bool {
        let count = try? await probe.database.read { transaction in
            try Int.fetchOne(transaction.db, sql: "SELECT count(*) FROM inbox WHERE id LIKE 'marker%'")
        }
        return (count ?? nil ?? 0) > 0
    }

    private func isAnswered() async -> Bool {
        let requests = try? await probe.database.read { try $0.requests.requests(of: ProbeSetup.account) }
        return requests?.isEmpty ?? false
    }
}

extension ProbeSession {
    /// The keys of the existing promises.
    func askedBefore() async throws -> [String] {
        try await database.read { transaction in
            try String.fetchAll(transaction.db, sql: "SELECT key FROM stanza_promise WHERE key LIKE 'q-%'")
        }
    }
}
