// Waiting for changes of a session and of its stanzas.

import TestSupport

@testable import StreamManagement

extension StreamSession {
    /// Waits until the condition holds, which each event of the session may cause.
    func until(
        file: String = #fileID, line: Int = #line, _ condition: @Sendable (isolated StreamSession) -> Bool
    ) async throws {
        let limit = TimeLimit("\(file):\(line)") { await self.wakeReaders(.inputRoom) }
        defer { limit.end() }
        while !condition(self) {
            try limit.check()
            await wait(for: .inputRoom)
        }
    }
}

extension SentStanza {
    /// Waits until the stanza has, or had, this state. Fails at once if the stanza ends without it.
    func becomes(_ state: StanzaState, file: String = #fileID, line: Int = #line) async throws {
        let waiting = Task { await states.contains(state) }
        let limit = TimeLimit("\(file):\(line)") { waiting.cancel() }
        defer { limit.end() }
        if await !waiting.value { throw WaitedInVain(description: "\(file):\(line): the stanza is \(self.state)") }
    }
}
