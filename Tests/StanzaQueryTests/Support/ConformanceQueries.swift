// The queries of the conformance suites in Grammar/conformance, for tests that want many of them.

import Foundation

enum ConformanceQueries {
    private struct Suite: Decodable {
        struct Case: Decodable {
            let query: String
        }

        let tests: [Case]
    }

    /// All of them, those that are no queries included.
    static func all() throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appendingPathComponent("Grammar/conformance")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.flatMap { file in
            try JSONDecoder().decode(Suite.self, from: Data(contentsOf: file)).tests.map(\.query)
        }
    }
}
