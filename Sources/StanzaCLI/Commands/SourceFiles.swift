// Source code on disk: what `stanza lint` reads.

import Foundation
import StanzaLint

/// The source files at a path.
struct SourceFiles {
    /// Nobody writes longer ones.
    static let maximumBytes = 16 << 20

    /// The files, sorted by their paths.
    private(set) var files: [(path: String, language: SourceLanguage)] = []
    /// Folders that cannot be read, and what is in a folder of which not even that can be known whether it is one.
    private(set) var unreadable: [String] = []

    /// The file itself, or those in the folder; `nil` if there is neither. Links inside of a folder are left out, whatever
    /// they lead to, and so is everything else that is no file.
    init?(at path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        if isFolder.boolValue {
            walk(path)
        } else {
            guard let language = SourceLanguage(fileName: path) else { return nil }
            files = [(path, language)]
        }
    }

    private mutating func walk(_ root: String) {
        var folders = [root]
        while let folder = folders.popLast() {
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
                unreadable.append(folder)
                continue
            }
            for name in names where !name.hasPrefix(".") {
                let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
                // Of a link these are its own.
                guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
                    unreadable.append(path)
                    continue
                }
                let type = attributes[.type] as? FileAttributeType
                if type == .typeDirectory {
                    folders.append(path)
                } else if type == .typeRegular, let language = SourceLanguage(fileName: name) {
                    files.append((path, language))
                }
            }
        }
        files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        unreadable.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The text of a file; `nil` if it is none, or too long.
    static func text(of path: String) -> String? {
        // Who names a link means the file.
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved),
            let type = attributes[.type] as? FileAttributeType, type == .typeRegular,
            let size = attributes[.size] as? Int, size <= maximumBytes,
            let bytes = FileManager.default.contents(atPath: resolved)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
