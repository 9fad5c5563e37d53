// Real stanzas: the session that the project recorded, and the examples of the XMPP specifications where they are.

import Foundation

public enum Corpus {
    /// The session that the project recorded.
    public static let recordedSession = packageFolder.appending(path: "Grammar/corpus/session.jsonl")

    /// The specifications' examples, in the folder at `STANZA_CORPUS`. Says so loudly when they are absent.
    public static let specifications: URL? = {
        let folder = ProcessInfo.processInfo.environment["STANZA_CORPUS"].map { URL(filePath: $0) }
        let file = folder?.appending(path: "xep-stanzas.jsonl")
        if let file, FileManager.default.fileExists(atPath: file.path) { return file }
        let missing = file.map { "there is no \($0.path)" } ?? "the examples of the specifications"
        print("!!! NOT TESTED: \(missing). Set STANZA_CORPUS to the folder of xep-stanzas.jsonl. !!!")
        return nil
    }()

    /// The member `xml` of each line of a file of JSON lines.
    public static func stanzas(in file: URL) throws -> [String] {
        struct Line: Decodable {
            let xml: String
        }
        let decoder = JSONDecoder()
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { try decoder.decode(Line.self, from: Data($0.utf8)).xml }
    }
}
