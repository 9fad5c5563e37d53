// The client's disk: its content survives the process. Every write can be the last action of a process.

import Foundation
import StreamManagement

/// The disk has no room for now, and the write has changed nothing.
struct DiskFull: TemporaryStorageError {
    var isTemporary: Bool { true }
}

/// Keeps a session, and the application's own data beside it.
///
/// Sendable without being checked: a simulation is a single thread.
final class SimulatedDisk: SessionStore, @unchecked Sendable {
    private(set) var session: StoredSession?
    /// The stanzas whose effects the application has stored.
    private(set) var handled: Set<String> = []
    private(set) var writeCount = 0
    /// Kill the process at the next write: before it, or after it.
    var killsBefore: Bool?
    /// Kill it at the write of this number.
    var killAt: (number: Int, before: Bool)?
    /// How many of the next writes of the session fail.
    var failures = 0
    /// Effects that become durable with the next write.
    private var effects: [String] = []
    /// A storage that has to keep the same as this disk.
    private let storage: (any StreamManagementStorage)?
    private var store: (any SessionStore)?

    init(storage: (any StreamManagementStorage)? = nil) {
        self.storage = storage
    }

    /// A process begins: the one before may have ended without a word.
    func load() throws -> StoredSession? {
        guard let storage else { return session }
        let store = try storage.open("c@example.org", takingOver: true)
        self.store = store
        let stored = try store.load()
        guard stored == session?.withDatesOfADatabase else {
            let words = stored?.text ?? "nothing"
            throw Violation("the storage keeps each write", "\(words) instead of \(session?.text ?? "nothing")")
        }
        return stored
    }

    func write(_ changes: [StorageChange]) throws {
        if failures > 0 {
            failures -= 1
            throw DiskFull()
        }
        if changes.isEmpty, effects.isEmpty { return }
        try perform {
            for change in changes { session = StoredSession.applying(change, to: session) }
            try store?.write(changes)
            handled.formUnion(effects)
            effects = []
        }
    }

    /// The application stores the effect of a stanza.
    func storeEffect(_ id: String) throws {
        try perform { _ = handled.insert(id) }
    }

    /// It will be stored together with the next write.
    func stageEffect(_ id: String) { effects.append(id) }

    /// The transaction with the staged effects has failed.
    func dropStagedEffects() { effects = [] }

    private func perform(_ body: () throws -> Void) throws {
        writeCount += 1
        var kill = killsBefore
        if let killAt, killAt.number == writeCount { kill = killAt.before }
        killsBefore = nil
        if kill == true { throw Killed() }
        try body()
        if kill == false { throw Killed() }
    }

    func close() {}

    /// The process ends, and loses the effects that it has not written.
    func processEnded() {
        killsBefore = nil
        effects = []
    }
}

extension StoredSession {
    /// The same with dates as databases keep them: as seconds since 1970, which costs the last bits.
    public var withDatesOfADatabase: StoredSession {
        func rounded(_ date: Date?) -> Date? { date.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970) } }
        func rounded(_ stanzas: [OutgoingStanza]) -> [OutgoingStanza] {
            stanzas.map {
                OutgoingStanza(
                    number: $0.number, id: $0.id, element: $0.element, firstSent: rounded($0.firstSent),
                    isSent: $0.isSent, losses: $0.losses)
            }
        }
        var session = self
        session.lastDisconnect = rounded(lastDisconnect)
        session.pending = rounded(pending)
        session.undecided = rounded(undecided)
        return session
    }
}
