// The conformance suites of Grammar/conformance, as far as tests want many queries: StanzaCLI runs them.

import Foundation

/// A case of a suite.
public struct ConformanceCase: Decodable, Sendable {
    /// Unique over all suites; begins with the rule's number.
    public let name: String
    /// A query, or something that is none.
    public let query: String
    /// The kind of error that is expected, if one is.
    public let error: String?

    private struct Suite: Decodable {
        let tests: [ConformanceCase]
    }

    /// All cases of all suites, in the order of the files.
    public static func all() throws -> [ConformanceCase] {
        let folder = packageFolder.appending(path: "Grammar/conformance")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.flatMap { file in
            try JSONDecoder().decode(Suite.self, from: Data(contentsOf: file)).tests
        }
    }
}
