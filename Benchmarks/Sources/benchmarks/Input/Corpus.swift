// The stanzas that everything is measured on, as text and as bytes for the parsers.

import Foundation
import Harness
import StanzaQuery

/// Real stanzas, without the stream around them.
struct Corpus {
    let name: String
    let stanzas: [String]

    /// The surroundings of a stanza: the start tag of a client's stream.
    static let streamStart =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
    static let streamEnd = "</stream:stream>"

    /// The sessions that the repository holds: the same on every machine, so counts are recorded for them.
    static func recorded() throws -> Corpus {
        try Corpus(Repository.folder.appending(path: "Grammar/corpus/session.jsonl"))
    }

    /// The corpus at `STANZA_CORPUS`, the folder of `xep-stanzas.jsonl` or another file of its form, or in
    /// `../shared/corpus` beside the repository, as for the tests; or else the recorded sessions. Then it says so,
    /// loudly, because the goals are meant for the former.
    static func preferred() throws -> Corpus {
        let given = ProcessInfo.processInfo.environment["STANZA_CORPUS"].map { URL(filePath: $0) }
        var file = given ?? Repository.folder.appending(path: "../shared/corpus").standardized
        if (try? file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true {
            file.append(path: "xep-stanzas.jsonl")
        }
        if FileManager.default.fileExists(atPath: file.path) { return try Corpus(file) }
        let message = """

            ########################################################################
            The corpus at \(file.path) is missing.
            The benchmarks measure the repository's recorded sessions instead. The
            goals do not refer to these figures. Set STANZA_CORPUS to the folder
            of xep-stanzas.jsonl, or to a file of JSON lines with a member 'xml'.
            ########################################################################

            """
        FileHandle.standardError.write(Data(message.utf8))
        return try recorded()
    }

    private init(_ file: URL) throws {
        struct Line: Decodable { let xml: String }
        let decoder = JSONDecoder()
        name = file.lastPathComponent
        stanzas = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
            .map { try decoder.decode(Line.self, from: $0).xml.trimmingCharacters(in: .whitespacesAndNewlines) }
            // Stanzas that are only text for our peers, too: no stream features that a parser of stanzas must reject.
            .filter { (try? Element(parsing: $0, in: .clientStream)) != nil }
    }

    /// Each stanza as a document of its own: the only child of a root that binds what the stream binds.
    var documents: [String] { stanzas.map { Self.streamStart + $0 + Self.streamEnd } }

    /// All stanzas in one stream.
    var stream: [UInt8] { Self.stream(of: stanzas.joined(separator: "\n")) }

    /// A document: the stanzas four times over, under one root.
    var largeDocument: [UInt8] {
        Self.stream(of: String(repeating: stanzas.joined(separator: "\n"), count: 4))
    }

    static func stream(of content: String) -> [UInt8] { Array((streamStart + content + streamEnd).utf8) }
}
