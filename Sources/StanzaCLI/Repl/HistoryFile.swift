// The lines of earlier sessions of `stanza repl`, in a file that only its owner can read: queries reveal contacts.
//
// `HistoryFile` reads and changes only a file whose first line declares a history, whatever file the user names.
// LockedFile.swift opens, locks and replaces files.

import Foundation
import SafeText

/// A file with the typed lines, one in each line, after a first line that declares its kind.
struct HistoryFile {
    let path: String

    /// The maximum number of lines offered.
    static let maximumCount = 1_000
    /// The size above which the next line removes the older half.
    static let maximumBytes = 1 << 18
    /// A longer line is not kept.
    static let maximumLineBytes = 4_096
    /// The first line of the file. A file that begins differently stays unchanged.
    static let firstLine = "# Lines typed to 'stanza repl', the newest last.\n"

    /// Loads the lines, oldest first. Skips lines that are not text. Changes nothing.
    func load() throws(HistoryProblem) -> [String] {
        guard let file = try LockedFile(toRead: path) else { return [] }
        try Self.demandHistory(file)
        return Self.lines(of: try Self.newestLines(of: file, Self.maximumBytes)).suffix(Self.maximumCount)
    }

    /// Adds a line.
    func append(_ line: String) throws(HistoryProblem) {
        guard Self.isKept(line) else { return }
        let file = try LockedFile(toWrite: path)
        try Self.demandHistory(file)
        let added = Array("\(line)\n".utf8)
        let size = try file.size()
        if size > Self.maximumBytes {
            let kept = try Self.newestLines(of: file, Self.maximumBytes / 2)
            try file.replace(by: Self.firstLine.utf8 + kept + added)
        } else {
            try file.makePrivate()
            try file.append(size == 0 ? Self.firstLine.utf8 + added : added)
        }
    }

    /// - Throws: If the file holds something else. An empty file may become a history.
    private static func demandHistory(_ file: borrowing LockedFile) throws(HistoryProblem) {
        let beginning = try file.bytes(at: 0, count: firstLine.utf8.count)
        guard beginning.isEmpty || beginning.elementsEqual(firstLine.utf8) else { throw .isNoHistory }
    }

    /// The text after the first line, or at most `maximum` bytes of its end, starting at the beginning of a line.
    private static func newestLines(of file: borrowing LockedFile, _ maximum: Int) throws(HistoryProblem) -> [UInt8] {
        let size = try file.size()
        let first = firstLine.utf8.count
        if size - first <= maximum { return try file.bytes(at: first, count: max(0, size - first)) }
        let bytes = try file.bytes(at: size - maximum, count: maximum)
        // The first line may be incomplete.
        return Array(bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
    }

    private static func isKept(_ line: String) -> Bool {
        !line.isEmpty && line.utf8.count <= maximumLineBytes
            && !line.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { String(validUTF8: $0) }.filter(isKept)
    }
}

/// The reason why lines are not kept.
enum HistoryProblem: Error, Equatable, CustomStringConvertible {
    case system(SystemError)
    /// The file holds something else, or it is not a file.
    case isNoHistory

    var description: String {
        switch self {
        case .system(SystemError(code: ELOOP)): "a link, which is not followed; name the file with --history"
        case .system(let error): error.description
        case .isNoHistory: "not a history of 'stanza repl', and not changed; name another file"
        }
    }

    /// The error of the system call that has just failed.
    static var last: HistoryProblem { .system(.last) }
}
