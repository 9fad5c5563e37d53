// `stanza find --query`: several queries in one pass. The results of each are those of a search for it alone.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Several queries")
struct SeveralQueriesTests {
    private static let input = """
        <message id='1'><body>one</body></message>
        <iq id='2' type='error'/>
        <message id='3'><body>two</body><body>three</body></message>
        """
    private static let queries = ["--query", "body#", "--query", "/<type=error>", "--query", "/@id"]

    private func find(_ arguments: [String], _ input: String = input) -> CommandResult {
        stanza(["find"] + arguments, input: [Array(input.utf8)])
    }

    @Test("number their results, in the order of stanzas and queries")
    func text() {
        let expected = [
            "1:one", "3:1", "2:<iq xmlns='jabber:client' id='2' type='error'/>", "3:2", "1:two", "1:three", "3:3",
        ]
        #expect(find(Self.queries).lines == expected)
        #expect(find(["--query", "body#", "--with-source"]).lines == ["1:-:1:one", "1:-:3:two", "1:-:3:three"])
    }

    @Test("can be in files, in linear time")
    func queryFiles() {
        func find(_ queries: String) -> CommandResult {
            stanza(["find", "--query-file", "q"], input: [Array(Self.input.utf8)], files: ["q": queries])
        }
        #expect(find("body#\r\n\n/@id").lines == ["1:one", "2:1", "2:2", "1:two", "1:three", "2:3"])
        #expect(find("# the texts\nbody#\n# and the rest\n#").lines.first == "1:one")
        let mistakes = [
            ("\n# none", "stanza: no query in q\n"), ("a\n\u{0}", "q:2: error: unexpected '"),
            ("a\n\na|b#", "q:3: error: "),
        ]
        for (queries, message) in mistakes {
            let result = find(queries)
            #expect(result.status != .success && result.errors.contains(message), "\(result.errors)")
        }
        expectLinear("queries", length: 250) { count in
            let queries = (0..<count).map { "a\($0)<b=c\($0)>/d\n" }.joined()
            return CommandRun(arguments: ["find", "--query-file", "q"], input: "<a/>", files: ["q": queries])
        } _: { result, _ in
            result.status == .nothing
        }
    }

    @Test("are named by number in JSON and XML")
    func named() {
        let json = find(["--json", "--with-source", "--query", "nowhere", "--query", "/<type=error>@id"])
        #expect(json.lines == [#"{"string": "2", "query": 2, "source": {"file": "-", "line": 2, "offset": 43}}"#])
        let xml = find(["--xml", "--query", "/<type=error>", "--query", "/<type=error>@id"])
        #expect(xml.lines.contains("<result query='1'><iq xmlns='jabber:client' id='2' type='error'/></result>"))
        #expect(xml.lines.contains("<result query='2'>2</result>"))
        #expect(
            find(["--xml", "--with-source", "--query", "/<type=error>@id"]).lines.contains(
                "<result query='1' source='-:2'>2</result>"))
    }

    @Test("are counted one by one")
    func counts() {
        let counted = find(["--count"] + Self.queries + ["--query", "nowhere"])
        #expect(counted.lines == ["1:3", "2:1", "3:3", "4:0"])
        #expect(counted.status == .success)
        #expect(find(["--count", "--query", "nowhere"]).lines == ["1:0"])
    }

    @Test("stop at the first result of any query")
    func first() {
        #expect(find(["--first", "--query", "/<type=error>@id", "--query", "/@id"]).lines == ["2:1"])
        #expect(find(["--first", "--query", "body#"]).lines == ["1:one"])
        #expect(find(["--check"] + Self.queries).status == .success)
        #expect(find(["--check", "--query", "nowhere", "--query", "never"]).status == .nothing)
    }

    @Test("take their arguments in order")
    func arguments() {
        let two = ["--query", "/<id=%@>@id", "--query", "/@id", "--query", "/<id=%d>/body#"]
        #expect(find(two + ["--arg", "2", "--arg", "1"]).lines == ["2:1", "3:one", "1:2", "2:2", "2:3"])
        for wrong in [["--arg", "2"], ["--arg", "2", "--arg", "1", "--arg", "3"], ["--arg", "2", "--arg", "x"]] {
            let result = find(two + wrong)
            #expect(result.status == .usage)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("/<id=%d>/body#"), "\(result.errors)")
        }
    }

    @Test("read the files that are arguments")
    func files() {
        let result = stanza(
            ["find", "--with-source", "a", "--query", "/$", "b"], input: [], files: ["a": "<x/>", "b": "<y/>"])
        #expect(result.lines == ["1:a:1:x", "1:b:1:y"])
        let none = find(["--count"])
        #expect(none.status == .usage)
        #expect(none.errors.contains("Missing expected argument '<query>'"))
    }

    @Test("report mistakes and warnings of each query")
    func mistakes() {
        let wrong = find(["--query", "/@id", "--query", "/@id|integer"])
        #expect(wrong.status == .usage)
        #expect(wrong.output.isEmpty)
        #expect(wrong.errors.contains("/@id|integer"))
        let doubtful = ["/body#|bool", "/other#|bool"]
        let warnings = doubtful.map { find([$0]).errors }
        let numbered = warnings.enumerated().map { number, text in
            text.replacing("no result: ", with: "query \(number + 1): no result: ")
        }
        func lines(_ texts: [String]) -> [String] { texts.joined().split(separator: "\n").map(String.init).sorted() }
        #expect(lines([find(doubtful.flatMap { ["--query", $0] }).errors]) == lines(numbered))
        // The others of a query that found something have their warnings, too.
        #expect(find(["--query", doubtful[0], "--query", "/@id"]).errors == numbered[0])
        #expect(find(["--first", "--query", doubtful[0], "--query", "/@id"]).errors.isEmpty)
    }

    @Test("go on when one exceeds a limit")
    func limits() {
        let slow = "/<id~(a+)+$>@id"
        let input = "<m id='\(String(repeating: "a", count: 40))!'/>"
        let alone = find([slow], input)
        #expect(alone.status == .usage)
        let result = find(["--query", slow, "--query", "/$"], input)
        #expect(result.errors == alone.errors)
        #expect(result.lines == ["2:m"])
        #expect(result.status == .usage)
        // The first result is found before the query that fails.
        let first = find(["--first", "--query", "/$", "--query", slow], input)
        #expect(first.lines == ["1:m"])
        #expect(first.errors.isEmpty)
        #expect(first.status == .success)
        #expect(find(["--check", "--query", slow, "--query", "/$"], input).status == .usage)
    }

    @Test("are not filtered if they are many")
    func many() throws {
        func prefilters(_ count: Int) throws -> Int {
            try SearchQueries(Array(repeating: "body#", count: count), arguments: [], options: []).prefilters.count
        }
        #expect(try prefilters(SearchQueries.mostPrefilters) == SearchQueries.mostPrefilters)
        #expect(try prefilters(SearchQueries.mostPrefilters + 1) == 0)
        let queries = (0...SearchQueries.mostPrefilters).map { "nowhere\($0)" } + ["body#"]
        let results = ["one", "two", "three"].map { "\(queries.count):\($0)" }
        #expect(find(queries.flatMap { ["--query", $0] }).lines == results)
    }

    @Test("end at Ctrl-C with no gap in their results")
    func interrupted() throws {
        let bodies = String(repeating: "<body>x</body>", count: 100)
        let evaluator = Evaluator(
            queries: try SearchQueries(["body#", "/@id"], arguments: [], options: []), settings: ReadingSettings(),
            formatter: ResultFormatter(format: .text, showsSource: false, numberedQueries: 2), stopsAtFirst: false)
        let element = try Element(parsing: "<message id='1'>\(bodies)</message>")
        var findings = Findings()
        evaluator.evaluate(.stanza(element, at: .start), from: "-", &findings) { _ in false }
        #expect(findings.counts[0] == 64)
        #expect(findings.counts[1] == 0)
    }

    @Test("give the same results as single searches", arguments: ["stream", "fragments", "lines"])
    func same(format: String) {
        var random = SeededGenerator(salt: UInt64(format.utf8.count) + 100)
        for round in 0..<SeededGenerator.cases(default: 20) {
            let input = FilterTests.text(
                format,
                (0..<random.pick([3, 30, 100])).map { _ in random.pick(FilterTests.stanzas) }
                    .filter { format != "lines" || $0.contains("<") })
            let queries = (0..<random.pick([1, 2, 5, 12])).map { _ in random.pick(FilterTests.queries) }
            let jobs = random.pick([["--jobs", "1"], ["--jobs", "2"], ["--parse-all"]])
            let all = find(["--with-source"] + jobs + queries.flatMap { ["--query", $0] }, input)
            let context = "STANZA_SEED=\(SeededGenerator.seed), round \(round): \(jobs) \(queries)"
            var count = 0
            for (index, query) in queries.enumerated() {
                let alone = find(["--with-source", "--parse-all", query], input).lines
                let own = all.lines.filter { $0.hasPrefix("\(index + 1):") }.map {
                    String($0.dropFirst("\(index + 1):".count))
                }
                #expect(own == alone, "\(context), query \(index + 1)")
                count += alone.count
            }
            #expect(all.lines.count == count, "\(context)")
            let places = all.lines.compactMap { line in
                let parts = line.split(separator: ":")
                return parts.count > 2 ? Int(parts[2]) : nil
            }
            #expect(places == places.sorted(), "\(context)")
        }
    }
}
