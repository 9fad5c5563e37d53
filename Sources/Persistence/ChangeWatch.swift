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
    private let pursuit: Pursuit

    init(path: String, queue: DatabaseQueue, listeners: Listeners, options: StanzaDatabase.Options) {
        let look = Look(queue: queue, listeners: listeners)
        look.look()
        let pursuit = Pursuit(of: look, on: work)
        self.pursuit = pursuit
        files = FileWatch(path: path, queue: work) { pursuit.begin() }
        timer = DispatchSource.makeTimerSource(queue: work)
        let interval = files == nil ? PersistenceLimits.pollInterval : options.watchedPollInterval
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { look.look() }
        timer.resume()
    }

    /// Nothing is looked at afterwards.
    func stop() {
        work.sync {
            timer.cancel()
            files?.stop()
            pursuit.end()
        }
    }

    /// Looks at once when a file was written, and then again for a while, ever more seldom: SQLite writes a commit
    /// first and lets it count when it is on the disk, of which the file system tells nothing.
    ///
    /// It is used on the watch's dispatch queue only: therefore `@unchecked Sendable`.
    private final class Pursuit: @unchecked Sendable {
        private let timer: any DispatchSourceTimer
        private let look: Look
        private var delay = PersistenceLimits.firstPursuitDelay

        init(of look: Look, on queue: DispatchQueue) {
            self.look = look
            timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.goOn() }
            timer.resume()
        }

        func begin() {
            look.look()
            delay = PersistenceLimits.firstPursuitDelay
            timer.schedule(deadline: .now() + delay)
        }

        private func goOn() {
            look.look()
            delay *= 2
            if delay <= PersistenceLimits.lastPursuitDelay { timer.schedule(deadline: .now() + delay) }
        }

        func end() { timer.cancel() }
    }

    /// Compares the count of commits with that of the last look.
    ///
    /// `@unchecked Sendable` is right because `version` is only touched while the database is accessed. That is waited
    /// for: who is on GRDB's queue must not be the last who lets the connection go.
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
            queue.inDatabase { database in
                // Where it fails, the database is closed or damaged, and whoever uses it hears of that.
                guard database.sqliteConnection != nil,
                    let now = try? Int.fetchOne(database, sql: "PRAGMA data_version")
                else { return }
                if let version, version != now { listeners.tell() }
                version = now
            }
        }
    }
}
