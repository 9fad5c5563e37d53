// Real stanzas: the session that the project recorded, and the examples of the XMPP specifications where they are.

import Foundation

public enum Corpus {
    /// The session that the project recorded.
    public static let recordedSession = packageFolder.appending(path: "Grammar/corpus/session.jsonl")

    /// The specifications' examples, in the folder at `STANZA_CORPUS`, or else in `../shared/corpus` beside the
    /// package. Says so loudly when they are absent.
    public static let specifications: URL? = {
        let given = ProcessInfo.processInfo.environment["STANZA_CORPUS"].map { URL(filePath: $0) }
        let file = specifications(in: given ?? packageFolder.appending(path: "../shared/corpus").standardized)
        if file == nil {
            let missing = given.map { "the examples of the specifications, which \($0.path) lacks" }
            print("!!! NOT TESTED: \(missing ?? "the examples of the specifications"). \(repair) !!!")
        }
        return file
    }()

    private static let repair = "Set STANZA_CORPUS to the folder of xep-stanzas.jsonl."

    /// The examples in a folder, if it has them.
    private static func specifications(in folder: URL) -> URL? {
        let file = folder.appending(path: "xep-stanzas.jsonl")
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }

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
