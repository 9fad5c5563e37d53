// Gives damaged files, and logs without their files, new names, so that opening the database again creates a new one.

import Foundation

extension FilePlace {
    /// SQLite's log and its index.
    private static let logEndings = ["-wal", "-shm"]

    /// Checks that the file and its log belong together, and that other processes have the same file open. A stray log
    /// gets a new name.
    ///
    /// - Parameter use: This process's share in the lock of users; `nil` if no process has ever shared it.
    /// - Throws: `StanzaDatabaseError.moved`, or `.corrupt`.
    func checkLog(_ use: FileUse?) throws {
        let record = use?.record
        switch FileVerdict(file: file(), log: file("-wal"), record: record, isAlone: use?.isAlone ?? true) {
        case .fits: break
        case .moved: throw StanzaDatabaseError.moved
        case .strayLog: throw StanzaDatabaseError.corrupt(asideAt: try putLogAside(of: record?.file))
        }
    }

    /// Moves the file and its log. The caller holds both locks. If the process is killed in between, `putLogAside`
    /// completes the move.
    ///
    /// - Returns: The new path of the file.
    func putAside() throws -> String {
        let aside = freeName
        try move([""] + Self.logEndings, to: aside)
        return aside
    }

    /// Moves a log that does not belong to the file at this path. If a former move of its file was interrupted, this
    /// completes it.
    ///
    /// - Parameter number: The number of the log's file, if it is known.
    /// - Returns: The new path of the log, without its ending.
    private func putLogAside(of number: UInt64?) throws -> String {
        let aside = asideNames.first { name in
            let place = FilePlace(name)
            return number != nil && place.file()?.number == number && place.file("-wal") == nil
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

    private func move(_ endings: [String], to aside: String) throws {
        for ending in endings where file(ending) != nil {
            try FileManager.default.moveItem(atPath: path + ending, toPath: aside + ending)
        }
    }
}
