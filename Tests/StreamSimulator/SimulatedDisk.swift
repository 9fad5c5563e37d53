// The client's disk: what is on it survives the process. Every write can be the last thing that a process does.

import Foundation
import StreamManagement

/// The process was killed by a write, before or after it was durable.
struct Killed: Error {}

/// Keeps a session, and the application's own data beside it.
///
/// Sendable without being checked: a simulation is a single thread.
final class SimulatedDisk: SessionStore, @unchecked Sendable {
    private(set) var session: StoredSession?
    /// What the application has durably done with what it received.
    private(set) var handled: Set<String> = []
    private(set) var writeCount = 0
    /// Kill the process at the next write: before it, or after it.
    var killsBefore: Bool?
    /// Kill it at the write of this number.
    var killAt: (number: Int, before: Bool)?
    /// Effects that become durable with the next write.
    private var effects: [String] = []

    func load() throws -> StoredSession? { session }

    func write(_ changes: [StorageChange], _ urgency: StorageUrgency) throws {
        try perform {
            for change in changes { session = StoredSession.applying(change, to: session) }
            handled.formUnion(effects)
            effects = []
        }
    }

    /// The application stores what it did with a stanza.
    func storeEffect(_ id: String) throws {
        try perform { _ = handled.insert(id) }
    }

    /// It will be stored together with the next write.
    func stageEffect(_ id: String) { effects.append(id) }

    func storeStagedEffects() throws {
        guard !effects.isEmpty else { return }
        try perform {
            handled.formUnion(effects)
            effects = []
        }
    }

    private func perform(_ body: () -> Void) throws {
        writeCount += 1
        var kill = killsBefore
        if let killAt, killAt.number == writeCount { kill = killAt.before }
        killsBefore = nil
        if kill == true { throw Killed() }
        body()
        if kill == false { throw Killed() }
    }

    func flush() throws {}
    func close() {}

    /// The process is gone; what it had not written is, too.
    func processEnded() {
        killsBefore = nil
        effects = []
    }
}
