// Hears of what other processes commit. SQLite counts the commits of others (`PRAGMA data_version`); the file system
// tells when it is worth looking (FileWatch.swift), and where it does not, a timer does.

import Dispatch
import GRDB
import Promises

/// Tells listeners when another connection has committed.
///
/// Everything but the counters of the database happens on one dispatch queue: `@unchecked Sendable` is right because
/// `timer` and `files` are only touched there, and in `init`, before anybody else knows this object.
final class ChangeWatch: @unchecked Sendable {
    private let work = DispatchQueue(label: "swift-stanza.changes")
    private let timer: any DispatchSourceTimer
    private let files: FileWatch?

    init(path: String, queue: DatabaseQueue, listeners: Listeners) {
        let look = Look(queue: queue, listeners: listeners)
        look.look()
        files = FileWatch(path: path, queue: work) { look.look() }
        timer = DispatchSource.makeTimerSource(queue: work)
        let interval = files == nil ? PersistenceLimits.pollInterval : PersistenceLimits.watchedPollInterval
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { look.look() }
        timer.resume()
    }

    /// Nothing is looked at afterwards.
    func stop() {
        work.sync {
            timer.cancel()
            files?.stop()
        }
    }

    /// Compares the count of commits with that of the last look. It is used on the database's queue only.
    private final class Look: @unchecked Sendable {
        private let queue: DatabaseQueue
        private let listeners: Listeners
        // Only touched while the database is accessed, which happens one by one.
        private var version: Int?

        init(queue: DatabaseQueue, listeners: Listeners) {
            self.queue = queue
            self.listeners = listeners
        }

        func look() {
            queue.asyncWriteWithoutTransaction { [self] database in
                // Where it fails, the database is closed or damaged, and whoever uses it hears of that.
                guard let now = try? Int.fetchOne(database, sql: "PRAGMA data_version") else { return }
                if let version, version != now { listeners.tell() }
                version = now
            }
        }
    }
}
