// The lines of earlier sessions of `stanza repl`, in a file that nobody else may read: queries tell whom one talks to.
//
// Whatever file somebody names, only one that says in its first line that it is a history is read or changed. How files
// are opened, locked and replaced is LockedFile.swift's business.

import Foundation

/// A file with a line for each line that was typed, below a first one that says what it is.
struct HistoryFile {
    let path: String

    /// So many lines are offered.
    static let maximumCount = 1_000
    /// When it has become larger, its older half goes with the next line.
    static let maximumBytes = 1 << 18
    /// A longer line is not kept.
    static let maximumLineBytes = 4_096
    /// What the file begins with. A file of something else is left as it is.
    static let firstLine = "# Lines typed to 'stanza repl', the newest last.\n"

    /// The lines, oldest first. What is no line of text is left out. Changes nothing.
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

    /// - Throws: if something else is in the file. An empty one may become a history.
    private static func demandHistory(_ file: borrowing LockedFile) throws(HistoryProblem) {
        let beginning = try file.bytes(at: 0, count: firstLine.utf8.count)
        guard beginning.isEmpty || beginning.elementsEqual(firstLine.utf8) else { throw .isNoHistory }
    }

    /// What stands behind the first line, or so many bytes of the end of that, from the beginning of a line on.
    private static func newestLines(of file: borrowing LockedFile, _ maximum: Int) throws(HistoryProblem) -> [UInt8] {
        let size = try file.size()
        let first = firstLine.utf8.count
        if size - first <= maximum { return try file.bytes(at: first, count: max(0, size - first)) }
        let bytes = try file.bytes(at: size - maximum, count: maximum)
        // The first line may be a part of one.
        return Array(bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
    }

    private static func isKept(_ line: String) -> Bool {
        !line.isEmpty && line.utf8.count <= maximumLineBytes
            && !line.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { String(validating: $0, as: UTF8.self) }.filter(isKept)
    }
}

/// Why lines are not kept.
enum HistoryProblem: Error, Equatable, CustomStringConvertible {
    case system(SystemError)
    /// Something else is in the file, or it is no file.
    case isNoHistory

    var description: String {
        switch self {
        case .system(SystemError(code: ELOOP)): "a link, which is not followed; name the file with --history"
        case .system(let error): error.description
        case .isNoHistory: "not a history of 'stanza repl', and not changed; name another file"
        }
    }

    /// Of the system call that has just failed.
    static var last: HistoryProblem { .system(.last) }
}
