// A folder of its own for a test that needs files.

import Foundation

/// A new folder. It is removed with the last reference to this object.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init(_ name: String = "stanza") throws {
        url = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func file(_ name: String) -> URL { url.appending(path: name) }

    /// Writes a file, whose name may begin with names of folders.
    @discardableResult
    public func file(_ name: String, _ text: String) throws -> URL {
        let file = file(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file
    }

    /// The path of the test's database.
    public var database: String { file("test.db").path }
}
