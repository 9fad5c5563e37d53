// A queue of commits that writes due changes at once, as a session does on a fast disk.

import StreamManagement

/// The changes of a core on their way to a store.
final class QueuedStore {
    private var commits: CommitQueue
    private let store: any SessionStore

    init(_ store: any SessionStore, policy: WritePolicy = .durable) {
        commits = CommitQueue(policy: policy)
        self.store = store
    }

    /// Passes the actions of an event.
    func perform(_ actions: [StreamManagementCore.Action]) throws {
        var event = CommitQueue.EventState()
        for action in actions { _ = commits.pass(action, of: &event) }
        try write()
    }

    func perform(_ change: StorageChange, _ urgency: StorageUrgency) throws { try perform([.store(change, urgency)]) }

    func flush() throws {
        _ = commits.flush()
        try write()
    }

    private func write() throws {
        while commits.next() != nil {}
        while let changes = commits.begin() {
            do {
                try store.write(changes)
            } catch {
                commits.storageFailed()
                throw error
            }
            commits.wasWritten()
            while commits.next() != nil {}
        }
    }

    func close() { store.close() }
}
