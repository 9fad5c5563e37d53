// Source code on disk: what `stanza lint` reads.

import Foundation
import StanzaLint

/// The source files in a folder.
enum SourceFiles {
    /// Nobody writes longer ones.
    static let maximumBytes = 16 << 20

    /// - Returns: The file itself, or those in the folder, sorted; `nil` if there is neither. Links inside of a folder are
    ///   left out, whatever they lead to, and so is everything else that is no file.
    static func files(at path: String) -> [(path: String, language: SourceLanguage)]? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        guard isFolder.boolValue else { return SourceLanguage(fileName: path).map { [(path, $0)] } }
        guard let names = FileManager.default.enumerator(atPath: path) else { return nil }
        var files: [(path: String, language: SourceLanguage)] = []
        while let name = names.nextObject() as? String {
            if name.split(separator: "/").last?.hasPrefix(".") == true {
                names.skipDescendants()
            } else if let language = SourceLanguage(fileName: name),
                names.fileAttributes?[.type] as? FileAttributeType == .typeRegular
            {
                files.append((path.hasSuffix("/") ? path + name : "\(path)/\(name)", language))
            }
        }
        return files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
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
