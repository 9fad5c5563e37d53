// Gives damaged files, and logs without their files, new names, so that opening the database again creates a new one.

import Foundation

extension FilePlace {
    /// SQLite's log and its index.
    private static let logEndings = ["-wal", "-shm"]

    /// Checks that the log belongs to the file. SQLite would delete the log of a file that is elsewhere, or write it to
    /// the file at this path. Moves such a log, and removes a stray index. Both stay while a connection has the file at
    /// this path open, such as the application's own: then they are that connection's. The caller holds `NAME.lock`.
    ///
    /// - Parameters:
    ///   - file: The file at this path.
    ///   - record: The files that the last process opened.
    /// - Throws: `StanzaDatabaseError.corrupt` if it has moved a log; `.moved` if it must not; `.unreadable` if it
    ///   cannot.
    func putStrayLogAside(from file: File?, _ record: FileRecord?) throws(StanzaDatabaseError) {
        let log = self.file("-wal")
        let isOther = record.map { $0.file != file?.identity } ?? false
        guard let log, log.size > 0 else {
            // The index may describe the former file.
            if isOther, self.file("-shm") != nil, !SQLiteCalls.isInUse(path) {
                try change(Self.logEndings) { try FileManager.default.removeItem(atPath: $0 + $1) }
            }
            return
        }
        // Without a recorded log, any log can be the recorded file's. After an application has restored a file together
        // with its log, both are new.
        let isRecorded = record?.log.map { $0 == log.identity } ?? true
        guard file?.size ?? 0 == 0 || isOther && isRecorded else { return }
        if SQLiteCalls.isInUse(path) { throw .moved }
        throw .corrupt(asideAt: try putAside(Self.logEndings))
    }

    /// Moves the file and its log, or the log alone. If the process is killed when it has moved the file, the next
    /// opening moves the log.
    ///
    /// - Returns: The new path of the file.
    func putAside(_ endings: [String] = [""] + logEndings) throws(StanzaDatabaseError) -> String {
        var number = 1
        var aside: String { "\(path).damaged-\(number)" }
        // A log must not be next to another file.
        while ([""] + Self.logEndings).contains(where: { FilePlace(aside).file($0) != nil }) { number += 1 }
        try change(endings) { try FileManager.default.moveItem(atPath: $0 + $1, toPath: aside + $1) }
        return aside
    }

    /// Changes the existing files with these endings.
    private func change(
        _ endings: [String], _ change: (_ path: String, _ ending: String) throws -> Void
    ) throws(StanzaDatabaseError) {
        for ending in endings where file(ending) != nil {
            do { try change(path, ending) } catch { throw .unreadable(path + ending) }
        }
    }
}
