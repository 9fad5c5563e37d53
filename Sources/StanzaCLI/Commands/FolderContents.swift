// The contents of folders, for the commands that take folders: `stanza lint` and `stanza conformance`. It does not
// depend on the contents of files.

import Foundation

/// The files in a folder, at any depth.
struct FolderContents {
    /// The files that are wanted, sorted by their paths.
    private(set) var files: [String] = []
    /// Folders that cannot be read, and paths that are too long for the system. Sorted.
    private(set) var unreadable: [(path: String, error: SystemError)] = []

    /// Walks through a folder, or the target of a link to one. It skips links inside the folder, names that begin with
    /// a dot, and everything that is neither a file nor a folder.
    ///
    /// - Parameters:
    ///   - root: The folder.
    ///   - interruption: Ends the walk; the files found so far stay.
    ///   - isWanted: Decides by the name of a file.
    init(of root: String, _ interruption: inout WorkInterruption, where isWanted: (_ name: String) -> Bool) {
        var folders = [root]
        while let folder = folders.popLast(), !interruption.stops() {
            let names: [String]
            do throws(SystemError) { names = try Self.names(in: folder) } catch {
                unreadable.append((folder, error))
                continue
            }
            for name in names where !name.hasPrefix(".") && !interruption.stops() {
                let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
                do throws(SystemError) {
                    // The status of a link itself.
                    let status = try FileName.status(of: path, followingLinks: false)
                    if status.isFolder {
                        folders.append(path)
                    } else if status.isRegularFile, isWanted(name) {
                        files.append(path)
                    }
                } catch {
                    unreadable.append((path, error))
                }
            }
        }
        files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        unreadable.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// The names in a folder, without itself and its parent.
    private static func names(in folder: String) throws(SystemError) -> [String] {
        guard let stream = opendir(FileName.path(folder)) else { throw .last }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    FileName.text($0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
