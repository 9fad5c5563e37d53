// Source code on disk, for `stanza lint`. FolderContents.swift walks through folders.

import Foundation
import SafeText
import StanzaLint

/// The source files at a path.
struct SourceFiles {
    /// Real source files are not longer.
    static let maximumBytes = 16 << 20

    /// The files, sorted by their paths.
    let files: [(path: String, language: SourceLanguage)]
    /// The unreadable parts of the folder.
    let unreadable: [(path: String, error: SystemError)]

    /// The file itself, or those in the folder.
    init(at path: String, _ interruption: inout WorkInterruption) throws(SourceError) {
        if try Self.status(of: path).isFolder {
            let contents = FolderContents(of: path, &interruption) { SourceLanguage(fileName: $0) != nil }
            files = contents.files.compactMap { path in SourceLanguage(fileName: path).map { (path, $0) } }
            unreadable = contents.unreadable
        } else {
            guard let language = SourceLanguage(fileName: path) else {
                throw SourceError("not a source file of Swift (.swift), Objective-C (.m, .mm, .h) or Lua (.lua)")
            }
            files = [(path, language)]
            unreadable = []
        }
    }

    /// The text of a file.
    static func text(of path: String) throws(SourceError) -> String {
        // To open anything else may have side effects.
        guard try status(of: path).isRegularFile else { throw SourceError("Not a regular file") }
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try FileSource(path: path).readAll(upTo: maximumBytes)
        } catch {
            throw SourceError("\(error)")
        }
        guard let bytes else { throw SourceError("more than \(maximumBytes) bytes: is this source code?") }
        guard let text = String(validUTF8: bytes) else {
            throw SourceError("not UTF-8; encode it as UTF-8")
        }
        return text
    }

    private static func status(of path: String) throws(SourceError) -> stat {
        do throws(SystemError) { return try FileName.status(of: path) } catch { throw SourceError("\(error)") }
    }
}

/// The reason why a path has no source code.
struct SourceError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
