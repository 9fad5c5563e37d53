// Detects the commits of other processes. SQLite counts commits (`PRAGMA data_version`). The file system reports when
// to check the count (FileWatch.swift); without such reports, a timer does.

import Dispatch
import GRDB
import Promises

/// Notifies listeners when another connection has committed.
///
/// All of its state but the database's counters is confined to one dispatch queue. So `@unchecked Sendable` is safe:
/// `timer` and `files` are used only there, and in `init`, before other code has this object.
final class ChangeWatch: @unchecked Sendable {
    private let work = DispatchQueue(label: "swift-stanza.changes")
    private let timer: any DispatchSourceTimer
    private let files: FileWatch?
    private let pursuit: Pursuit

    init(path: String, connections: any DatabaseWriter, listeners: Listeners, options: StanzaDatabase.Options) {
        let look = Look(connections: connections, listeners: listeners)
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

    /// Stops all checks.
    func stop() {
        work.sync {
            timer.cancel()
            files?.stop()
            pursuit.end()
        }
    }

    /// Checks at once when a file was written, and then again for a while, at growing intervals. SQLite writes a commit
    /// first, and counts it when it is on the disk, which the file system does not report.
    ///
    /// `@unchecked Sendable` is safe because only the watch's dispatch queue uses it.
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

    /// Compares the count of commits with the count at the last check.
    ///
    /// `@unchecked Sendable` is safe because `version` is used only during an access to the database. `look()` waits
    /// for the access: code on GRDB's queue must not release the last reference to the connection.
    private final class Look: @unchecked Sendable {
        private let connections: any DatabaseWriter
        private let listeners: Listeners
        // Used only during accesses to the database, which run one at a time.
        private var version: Int?

        init(connections: any DatabaseWriter, listeners: Listeners) {
            self.connections = connections
            self.listeners = listeners
        }

        func look() {
            // For the writing connection, the commits of this process do not count as changes.
            connections.writeWithoutTransaction { database in
                // If this fails, the database is closed or damaged. The next access reports that.
                guard database.sqliteConnection != nil,
                    let now = try? Int.fetchOne(database, sql: "PRAGMA data_version")
                else { return }
                if let version, version != now { listeners.notify() }
                version = now
            }
        }
    }
}
