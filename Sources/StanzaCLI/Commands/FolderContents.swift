// What is in folders, for the commands that take folders: `stanza lint` and `stanza conformance`. What its files hold
// is not known here.

import Foundation

/// The files in a folder, at any depth.
struct FolderContents {
    /// The files that are wanted, sorted by their paths.
    private(set) var files: [String] = []
    /// Folders that cannot be read, and what is in a folder of which not even that can be known whether it is one:
    /// names that are not UTF-8, and paths that are too long for the system. Sorted.
    private(set) var unreadable: [String] = []

    /// Walks through a folder, or what a link to one leads to. Links inside of it are left out, whatever they lead to,
    /// and so are names that begin with a dot, and everything that is neither a file nor a folder.
    ///
    /// - Parameters:
    ///   - root: The folder.
    ///   - isWanted: Gets the name of a file.
    init(of root: String, where isWanted: (_ name: String) -> Bool) {
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
                } else if type == .typeRegular, isWanted(name) {
                    files.append(path)
                }
            }
        }
        files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        unreadable.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether a path leads to a folder, or to nothing that can be seen (`nil`).
    static func isFolder(_ path: String) -> Bool? {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) ? isFolder.boolValue : nil
    }
}
