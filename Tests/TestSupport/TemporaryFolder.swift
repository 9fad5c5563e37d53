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

    /// The path of the test's database.
    public var database: String { file("test.db").path }
}
