// `stanza find` parses only stanzas that may have a result. Its output is that of `--parse-all`, for well-formed input,
// and that of several queries is the same as of each alone.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Filtering input")
struct FilterTests {
    private static let stanzas = [
        "<message id='1'><body>text</body></message>", "<iq id=\"2>\"/>", "<presence id='3' x='/>'></presence>\n",
        "<message id='4'><![CDATA[</message><iq>]]></message>", "\n", "  ", "<a id='5'><b><c/></b>\n<d/></a>\n",
        "<message id='6'>\u{E9}\u{1F600}</message>", "<iq id='7'><query xmlns='urn:x'><item/></query></iq>\n\n",
        "<x:y id='8' xmlns:x='urn:y'><x:z k='&#118;'/></x:y>", "<p><body>é</body></p>", "<q r='s'/>\n",
        // A little longer than the limit of some rounds.
        "<long id='12'>\(String(repeating: "x", count: 2_000))</long>", "<p><q><q><q><q/></q></q></q></p>",
    ]
    private static let queries = [
        "/body#", "/@id", "/<id=6>", "/<r=s>@r", "b/c", "{urn:x}query/item", "/z<k=v>@k", "nowhere", "/<id~^1>@id",
        "/x#", "/$", "/@@", "/!a@id", "/{urn:y}y@id", "/@xmlns", "/p", "/message@id", "/a<id=5>@id", "/@x",
    ]
    private static let forms = [
        [], ["--with-source"], ["--count"], ["--json", "--with-source"], ["--first", "--with-source"], ["--check"],
        ["--xml"],
    ]

    private static func text(_ format: String, _ stanzas: [String]) -> String {
        switch format {
        case "stream": return streamHeader + stanzas.joined() + "</stream:stream>\n"
        case "lines":
            return stanzas.map { "{\"xml\": \(JSONValue.string($0).text)}\n" }.joined(separator: "\n")
        default: return "\u{FEFF}" + stanzas.joined()
        }
    }

    @Test("gives the results of --parse-all, and of each query alone", arguments: ["stream", "fragments", "lines"])
    func same(format: String) {
        var random = SeededGenerator(salt: UInt64(format.utf8.count))
        for round in 0..<SeededGenerator.cases(default: 10) {
            let stanzas = (0..<random.pick([3, 30, 100])).map { _ in random.pick(Self.stanzas) }
                .filter { format != "lines" || $0.contains("<") }
            let input = pieces(Self.text(format, stanzas), of: random.pick([1, 10, 100, 5_000]))
            let limits = random.pick(
                [[], ["--max-stanza-bytes", "2000"]] + (format == "lines" ? [] : [["--max-depth", "3"]]))
            let queries = (0..<random.pick([1, 1, 2, 5, 12])).map { _ in random.pick(Self.queries) }
            let form = random.pick(queries.count > 1 ? [["--with-source"]] : Self.forms)
            let arguments =
                ["find"] + form + limits + (queries.count == 1 ? queries : queries.flatMap { ["--query", $0] })
            let strict = stanza(arguments + ["--parse-all"], input: input)
            for jobs in ["1", "2"] {
                let filtered = stanza(arguments + ["--jobs", jobs], input: input)
                let isSame =
                    filtered.output == strict.output && filtered.errors == strict.errors
                    && filtered.status == strict.status
                #expect(isSame, "STANZA_SEED=\(SeededGenerator.seed), round \(round): \(arguments), \(jobs) jobs")
                if !isSame { return }
            }
            guard queries.count > 1 else { continue }
            for (index, query) in queries.enumerated() {
                let alone = stanza(["find", "--with-source", "--parse-all", query] + limits, input: input).lines
                let own = strict.lines.filter { $0.hasPrefix("\(index + 1):") }
                #expect(
                    own == alone.map { "\(index + 1):\($0)" }, "STANZA_SEED=\(SeededGenerator.seed), round \(round)")
            }
            let places = strict.lines.compactMap { Int($0.split(separator: ":").dropFirst(2).first ?? "") }
            #expect(places == places.sorted())
        }
    }

    @Test("does not depend on the recognition of the format")
    func likeJSON() {
        let tokens = [
            "[", "{", "\"", "\n", "\r\n", " ", "\t", "]", "}", "<a/>", "<b>\n</b>\n", "\n{\"xml\": \"<c/>\"}\n", "1",
            "\u{FEFF}",
        ]
        var random = SeededGenerator(salt: 1)
        for round in 0..<SeededGenerator.cases(default: 60) {
            let input =
                random.pick(["", "[", "{", "\u{FEFF}", " "])
                + (0..<8).map { _ in random.pick(tokens) }.joined()
            var recognizer = FormatRecognizer()
            let format = Array(input.utf8).withUnsafeBytes { recognizer.recognize($0) } ?? recognizer.formatAtEnd
            let pieces = pieces(input, of: random.pick([1, 3, 1_000]))
            let named = stanza(["find", "/$", "--format", format.rawValue], input: pieces)
            for options in [[], ["--jobs", "2"], ["--parse-all"]] {
                let result = stanza(["find", "/$"] + options, input: pieces)
                let round = "STANZA_SEED=\(SeededGenerator.seed), round \(round)"
                #expect(result.lines == named.lines, "\(round), \(options): \(input.debugDescription)")
            }
        }
    }

    @Test("is left out for many queries")
    func many() throws {
        func prefilters(_ count: Int) throws -> Int {
            try SearchQueries(Array(repeating: "body#", count: count), arguments: [], options: []).prefilters.count
        }
        #expect(try prefilters(SearchQueries.mostPrefilters) == SearchQueries.mostPrefilters)
        #expect(try prefilters(SearchQueries.mostPrefilters + 1) == 0)
    }

    /// The ids of the stanzas that a reader parses, in parentheses, the results of first tags, and the number of
    /// stanzas that were passed over.
    private func read(
        _ format: String, _ stanzas: [String], _ query: String?, usesTags: Bool = false
    ) throws -> (items: [String], passedOver: Int) {
        var settings = ReadingSettings()
        if let query, usesTags {
            settings.firstTag = FirstTag(try #require(try Query(query).tagQuery), printsResults: true)
        } else if let query {
            settings.prefilters = [try Query(query).prefilter]
        }
        let reader = StanzaReader(settings)
        for piece in pieces(Self.text(format, stanzas), of: 100_000) { piece.withUnsafeBytes { reader.feed($0) } }
        reader.finish()
        var items: [String] = []
        while let item = reader.next() {
            switch item {
            case .results(let results):
                items += String(decoding: results.lines, as: UTF8.self).split(separator: "\n").map(String.init)
            case .stanza(let stanza, _, _): items.append("(\(stanza["id"] ?? "-"))")
            case .problem: items.append("problem")
            }
        }
        return (items, reader.takeStatistics().passedOver)
    }

    @Test("parses few stanzas, and counts all", arguments: ["stream", "fragments", "lines"])
    func parsed(format: String) throws {
        let stanzas = (0..<1_000).map { $0 % 100 == 3 ? "<a><body/></a>" : "<a><x y='body'>body</x></a>\n" }
        let found = try read(format, stanzas, "/body")
        // The byte order mark makes the first fragment a candidate. JSON has no certain beginnings of names.
        #expect(found.items.count == (format == "fragments" ? 11 : format == "lines" ? 1_000 : 10))
        #expect(found.items.count + found.passedOver == 1_000)
        #expect(try read(format, stanzas, "/nowhere").items.count == (format == "fragments" ? 1 : 0))
        let all = try read(format, stanzas, nil)
        #expect(all.items.count == 1_000 && all.passedOver == 0)
        // The filter has no benefit here.
        let long = "<a><body>\(String(repeating: "x", count: Benefit.sample / 1_000))</body></a>\n"
        let repeated = Array(repeating: long, count: 1_100)
        #expect(try read(format, repeated, "/nowhere").items.count <= 1)
        let useless = try read(format, repeated + ["<a/>\n"], "/body")
        #expect(useless.items.count == 1_101 && useless.passedOver == 0)
    }

    @Test("answers from first tags, in the order of the input, until the first mistake")
    func firstTags() throws {
        let stanzas = [
            "<a id='0'/>", "<a id='1'/>", "<b/>", "<a id='2'/>", "<b id='é'/>", "<b x='é'/>", "<a id='3'/>", "<b/>",
        ]
        // The byte order mark precedes the first fragment.
        for (format, first) in [("stream", "0"), ("fragments", "(0)")] {
            #expect(try read(format, stanzas, "/@id", usesTags: true).items == [first, "1", "2", "(é)", "(-)", "3"])
            let many = ["<a/>"] + Array(repeating: "<a id='1'/>", count: 100)
            #expect(try read(format, many, "/@id", usesTags: true).items.count { $0 == "1" } == 100)
        }
        let wrong = ["<a id='1'/>", "<a id='2' b='&x;'/>", "<a id='3'/>"]
        #expect(try read("stream", wrong, "/@id", usesTags: true).items == ["1", "problem"])
        // Few first tags are plain.
        let long = Array(repeating: "<a id='é\(String(repeating: "x", count: 10_000))'/>", count: 110)
        let useless = try read("stream", long + ["<a id='1'/>"], "/@id", usesTags: true).items
        #expect(useless.count == 111 && useless.last == "(1)")
    }
}
