// Gives damaged files, and logs without their files, new names, so that opening the database again creates a new one.

import Foundation

extension FilePlace {
    /// SQLite's log and its index.
    private static let logEndings = ["-wal", "-shm"]

    /// Checks that the file and its log belong together, and that other processes have the same files open. Moves a
    /// stray log, and removes a stray index. Both stay while a connection has the file at this path open, such as the
    /// application's own: then they are that connection's.
    ///
    /// - Parameters:
    ///   - file: The file at this path.
    ///   - use: This process's share in the lock of users; `nil` if no process has ever shared it.
    /// - Throws: `StanzaDatabaseError.moved`; `.corrupt` if it has moved a log; `.unreadable` if it cannot.
    func putStrayLogAside(from file: File?, _ use: FileUse?) throws(StanzaDatabaseError) {
        let record = use?.record
        let verdict = FileVerdict(
            file: file, log: self.file("-wal"), hasIndex: self.file("-shm") != nil, record: record,
            isAlone: use?.isAlone ?? true)
        switch verdict {
        case .fits: break
        case .moved: throw .moved
        case .strayLog:
            if SQLiteCalls.isInUse(path) { throw .moved }
            throw .corrupt(asideAt: try putLogAside(of: record?.file))
        case .strayIndex:
            if !SQLiteCalls.isInUse(path) { try removeIndex() }
        }
    }

    /// Removes an empty log and its index, which hold nothing.
    private func removeIndex() throws(StanzaDatabaseError) {
        for ending in Self.logEndings where file(ending) != nil {
            do {
                try FileManager.default.removeItem(atPath: path + ending)
            } catch {
                throw .unreadable(path + ending)
            }
        }
    }

    /// Moves the file and its log. The caller holds both locks. If the process is killed in between, `putLogAside`
    /// completes the move.
    ///
    /// - Returns: The new path of the file.
    func putAside() throws(StanzaDatabaseError) -> String {
        let aside = freeName
        try move([""] + Self.logEndings, to: aside)
        return aside
    }

    /// Moves a log that does not belong to the file at this path. If a former move of its file was interrupted, this
    /// completes it.
    ///
    /// - Parameter file: The log's file, if it is known.
    /// - Returns: The new path of the log, without its ending.
    private func putLogAside(of file: FileIdentity?) throws(StanzaDatabaseError) -> String {
        let aside = asideNames.first { name in
            let place = FilePlace(name)
            return file != nil && place.file()?.identity == file && place.file("-wal") == nil
        }
        let name = aside ?? freeName
        try move(Self.logEndings, to: name)
        return name
    }

    private func name(_ number: Int) -> String { "\(path).damaged-\(number)" }

    /// The names of files that were put aside.
    private var asideNames: some Sequence<String> {
        (1...).lazy.map(name).prefix { isTaken($0) }
    }

    private var freeName: String {
        var number = 1
        while isTaken(name(number)) { number += 1 }
        return name(number)
    }

    private func isTaken(_ name: String) -> Bool {
        ([""] + Self.logEndings).contains { FilePlace(name).file($0) != nil }
    }

    private func move(_ endings: [String], to aside: String) throws(StanzaDatabaseError) {
        for ending in endings where file(ending) != nil {
            do {
                try FileManager.default.moveItem(atPath: path + ending, toPath: aside + ending)
            } catch {
                throw .unreadable(path + ending)
            }
        }
    }
}
