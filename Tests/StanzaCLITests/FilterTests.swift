// `stanza find` parses only stanzas that may have a result. Its output is that of `--parse-all`, for well-formed input.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Filtering input")
struct FilterTests {
    static let stanzas = [
        "<message id='1'><body>text</body></message>", "<iq id=\"2>\"/>", "<presence id='3' x='/>'></presence>\n",
        "<message id='4'><![CDATA[</message><iq>]]></message>", "\n", "  ", "<a id='5'><b><c/></b>\n<d/></a>\n",
        "<message id='6'>\u{E9}\u{1F600}</message>", "<iq id='7'><query xmlns='urn:x'><item/></query></iq>\n\n",
        "<x:y id='8' xmlns:x='urn:y'><x:z k='&#118;'/></x:y>", "<p><body>é</body></p>", "<q r='s'/>\n",
        // A little longer than the limit of some rounds.
        "<long id='12'>\(String(repeating: "x", count: 2_000))</long>", "<p><q><q><q><q/></q></q></q></p>",
    ]
    static let queries = [
        "/body#", "/@id", "/<id=6>", "/<r=s>@r", "b/c", "{urn:x}query/item", "/z<k=v>@k", "nowhere", "/<id~^1>@id",
        "/x#", "/$", "/@@", "/!a@id", "/{urn:y}y@id", "/@xmlns", "/p", "/message@id", "/a<id=5>@id", "/@x",
    ]
    private static let forms = [
        [], ["--with-source"], ["--count"], ["--json", "--with-source"], ["--first", "--with-source"], ["--check"],
        ["--xml"],
    ]

    static func text(_ format: String, _ stanzas: [String]) -> String {
        switch format {
        case "stream": return InputFormatTests.header + stanzas.joined() + "</stream:stream>\n"
        case "lines":
            return stanzas.map { "{\"xml\": \(JSONValue.string($0).text)}\n" }.joined(separator: "\n")
        default: return "\u{FEFF}" + stanzas.joined()
        }
    }

    @Test("gives the same results as --parse-all", arguments: ["stream", "fragments", "lines"])
    func same(format: String) {
        var random = SeededGenerator(salt: UInt64(format.utf8.count))
        for round in 0..<SeededGenerator.cases(default: 30) {
            let stanzas = (0..<random.pick([3, 30, 100])).map { _ in random.pick(Self.stanzas) }
                .filter { format != "lines" || $0.contains("<") }
            let input = Self.text(format, stanzas)
            let pieceLength = random.pick([1, 10, 100, 5_000])
            let limits = random.pick(
                [[], ["--max-stanza-bytes", "2000"]] + (format == "lines" ? [] : [["--max-depth", "3"]]))
            let arguments = ["find"] + random.pick(Self.forms) + limits + [random.pick(Self.queries)]
            let strict = stanza(arguments + ["--parse-all"], input: pieces(input, of: pieceLength))
            for jobs in ["1", "2"] {
                let filtered = stanza(arguments + ["--jobs", jobs], input: pieces(input, of: pieceLength))
                let context = "STANZA_SEED=\(SeededGenerator.seed), round \(round): \(arguments), \(jobs) jobs"
                #expect(filtered.output == strict.output, "\(context)")
                #expect(filtered.errors == strict.errors, "\(context)")
                #expect(filtered.status == strict.status, "\(context)")
                if filtered.output != strict.output { return }
            }
        }
    }

    /// Results and the number of stanzas of a reader, and how many of them it parsed.
    private func read(_ input: String, _ query: String, all: Bool = false) throws -> (parsed: Int, all: Int) {
        var settings = ReadingSettings()
        if !all { settings.prefilters = [try Query(query).prefilter] }
        let reader = StanzaReader(settings)
        Array(input.utf8).withUnsafeBytes { reader.feed($0) }
        reader.finish()
        var parsed = 0
        while let item = reader.next() { if case .stanza = item { parsed += 1 } }
        return (parsed, parsed + reader.takeStatistics().passedOver)
    }

    @Test("parses few stanzas, and counts all", arguments: ["stream", "fragments", "lines"])
    func parsed(format: String) throws {
        let stanzas = (0..<1_000).map { $0 % 100 == 3 ? "<a><body/></a>" : "<a><x y='body'>body</x></a>\n" }
        let input = Self.text(format, stanzas)
        let found = try read(input, "/body")
        // The byte order mark makes the first fragment a candidate. JSON has no certain beginnings of names.
        #expect(found.parsed == (format == "fragments" ? 11 : format == "lines" ? 1_000 : 10))
        #expect(found.all == 1_000)
        #expect(try read(input, "/nowhere").parsed == (format == "fragments" ? 1 : 0))
        #expect(try read(input, "/body", all: true) == (1_000, 1_000))
    }

    /// The results of a reader that uses first tags, with the stanzas that it parsed in parentheses.
    private func answers(_ input: String, _ query: String) throws -> String {
        var settings = ReadingSettings()
        settings.firstTag = FirstTag(try #require(try Query(query).tagQuery), printsResults: true)
        let reader = StanzaReader(settings)
        Array(input.utf8).withUnsafeBytes { reader.feed($0) }
        reader.finish()
        var text = ""
        while let item = reader.next() {
            switch item {
            case .results(let results): text += String(decoding: results.lines, as: UTF8.self)
            case .stanza(let stanza, _, _): text += "(\(stanza["id"] ?? "-"))\n"
            case .problem: text += "problem\n"
            }
        }
        return text.replacing("\n", with: " ")
    }

    @Test("answers from first tags, in the order of the input", arguments: ["stream", "fragments"])
    func firstTags(format: String) throws {
        let stanzas = [
            "<a id='0'/>", "<a id='1'/>", "<b/>", "<a id='2'/>", "<b id='é'/>", "<b x='é'/>", "<a id='3'/>", "<b/>",
        ]
        // The byte order mark precedes the first fragment.
        let first = format == "stream" ? "0" : "(0)"
        #expect(try answers(Self.text(format, stanzas), "/@id") == "\(first) 1 2 (é) (-) 3 ")
        let tags = String(repeating: "<a id='1'/>", count: 100)
        #expect(try answers(Self.text(format, ["<a/>", tags]), "/@id").count { $0 == "1" } == 100)
    }

    @Test("gives no results after the first mistake of a stream")
    func resultsAfterMistakes() throws {
        let stanzas = ["<a id='1'/>", "<a id='2' b='&x;'/>", "<a id='3'/>"]
        #expect(try answers(Self.text("stream", stanzas), "/@id") == "1 problem ")
    }

    @Test("parses everything if few first tags are plain")
    func benefitOfTags() throws {
        let stanzas =
            Array(repeating: "<a id='é\(String(repeating: "x", count: 10_000))'/>", count: 110) + ["<a id='1'/>"]
        var settings = ReadingSettings()
        settings.firstTag = FirstTag(try #require(try Query("/@id").tagQuery), printsResults: true)
        let reader = StanzaReader(settings)
        for piece in pieces(Self.text("stream", stanzas), of: 100_000) { piece.withUnsafeBytes { reader.feed($0) } }
        reader.finish()
        var parsed = 0
        while let item = reader.next() { if case .stanza = item { parsed += 1 } }
        #expect(parsed == 111)
    }

    @Test("parses everything if most stanzas may have a result", arguments: ["stream", "fragments", "lines"])
    func benefit(format: String) throws {
        let length = Benefit.sample / 1_000
        let long = "<a><body>\(String(repeating: "x", count: length))</body></a>\n"
        let found = try read(
            Self.text(format, Array(repeating: long, count: 1_100)), "/nowhere")
        #expect(found.parsed <= 1)
        var settings = ReadingSettings()
        settings.prefilters = [try Query("/body").prefilter]
        let reader = StanzaReader(settings)
        let text = Self.text(format, Array(repeating: long, count: 1_100) + ["<a/>\n"])
        for piece in pieces(text, of: 100_000) { piece.withUnsafeBytes { reader.feed($0) } }
        reader.finish()
        var parsed = 0
        while let item = reader.next() { if case .stanza = item { parsed += 1 } }
        #expect(parsed == 1_101)
        #expect(reader.takeStatistics().passedOver == 0)
    }

    @Test("reports mistakes of balance, and of text between stanzas, at their places")
    func mistakes() {
        let bad = stanza("find", "nowhere", input: "<a/>\n<a/> text <a/>\n<b></c></b></b>\n<a/>")
        let strict = stanza("find", "--parse-all", "nowhere", input: "<a/>\n<a/> text <a/>\n<b></c></b></b>\n<a/>")
        #expect(bad.status == .badInput)
        #expect(strict.status == .badInput)
        #expect(bad.errors.contains("-:2:6:"))
        #expect(strict.errors.contains("-:2:6:"))
    }

    @Test("knows the place of the root after many stanzas", arguments: [[], ["--parse-all"]])
    func placeOfTheRoot(options: [String]) {
        let stanzas = String(repeating: "<a/>\n<b><c/></b>\n", count: 200)
        let input = "\n" + InputFormatTests.header + stanzas
        let errors = stanza(["find", "/c"] + options, input: [Array(input.utf8)]).errors
        #expect(errors.contains("the end of what begins at line 2, column 1\n"), "\(errors)")
    }

    @Test("finds an attribute before a mistake in its stanza, and --parse-all does not")
    func resultsOfMistakes() {
        let input = "<a id='1'><b></c></a>"
        #expect(stanza("find", "/@id", input: input).output == "1\n")
        #expect(stanza("find", "/@id", input: input).status == .success)
        let strict = stanza("find", "--parse-all", "/@id", input: input)
        #expect(strict.output == "")
        #expect(strict.status == .badInput)
    }

    /// An end tag without '>', and a '>' in a text: framing counts as many of them as there are tags.
    @Test("reads two stanzas that end with one tag")
    func emptyStanza() {
        let input = "<a id='1'>text > text</a <b/> <c>\(String(repeating: "long", count: 10))</c>"
        #expect(stanza("find", "/@id", input: input).output == "1\n")
        #expect(stanza("find", "--parse-all", "/@id", input: input).status == .badInput)
    }

    @Test("reports mistakes in other stanzas with --parse-all only")
    func strictness() {
        for input in ["<a><b></c></a>", "<a b='&x;'/>", "<x:a/>"] {
            #expect(stanza("find", "nowhere", input: input).status == .nothing)
            #expect(stanza("find", "--parse-all", "nowhere", input: input).status == .badInput)
            #expect(stanza("find", "--parse-all", "--jobs", "2", "nowhere", input: input).status == .badInput)
        }
    }
}
