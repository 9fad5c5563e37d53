// How evaluation grows: with the document, the results, the path, and the number of queries (a router). Work on trees
// is ScalingSuite+Trees.swift.

import StanzaQuery

struct ScalingSuite {
    let bench: Bench

    func run() throws {
        try add(
            "Scaling: document size", x: "children", sizes: [10, 100, 1_000, 10_000],
            note: "`check` of a child that is not there.",
            xml: { "<r>" + String(repeating: "<a b='c'/>", count: $0) + "</r>" },
            query: { _ in ("z", "z") })
        try add(
            "Scaling: results", x: "results", sizes: [1, 10, 100, 1_000, 10_000],
            note: "`find` of all children.", finds: true,
            xml: { "<r>" + String(repeating: "<a b='c'/>", count: $0) + "</r>" },
            query: { _ in ("a", "a") })
        try add(
            "Scaling: path length", x: "segments", sizes: [1, 2, 4, 8, 16, 32, 64],
            note: "`check` of a path straight down.",
            xml: { "<r>" + String(repeating: "<a>", count: $0) + String(repeating: "</a>", count: $0) + "</r>" },
            query: { size in
                let path = [String](repeating: "a", count: size).joined(separator: "/")
                return (path, path)
            })
        try addCompilation()
        try addTrees()
        try addRouter()
        try addMatches()
    }

    private func add(
        _ title: String, x: String, sizes: [Int], note: String, finds: Bool = false, xml: (Int) -> String,
        query: (Int) -> (ours: String, xpath: String)
    ) throws {
        var table = ScalingTable()
        for size in sizes {
            let text = xml(size)
            let elements = [try Element(parsing: text)]
            let document = "<x>\(text)</x>"
            let libxml2 = try PeerDocuments.libxml2([document])
            let pugixml = try PeerDocuments.pugixml([document])
            let (source, xpath) = query(size)
            let ours = try Query(source)
            let libxml2Query = try LibXML2Queries([xpath])
            let pugixmlQuery = try PugiXMLQueries([xpath])
            let timings = try bench.stopwatch.time(
                "\(title), \(size)",
                [
                    Contender("ours") {
                        finds ? try elements[0].find(ours).count : try QuerySuite.check(ours, elements)
                    },
                    Contender("pugixml XPath") {
                        finds ? pugixmlQuery.find(0, pugixml) : pugixmlQuery.check(0, pugixml)
                    },
                    Contender("libxml2 XPath") {
                        finds ? libxml2Query.find(0, libxml2) : libxml2Query.check(0, libxml2)
                    },
                ])
            table.add(size, timings.map { ($0.name, $0.nanoseconds) })
        }
        bench.report.add(table.section(title, note: "Nanoseconds per evaluation. \(note)", x: x, y: "ns"))
    }

    /// Texts of paths are compiled.
    private func addCompilation() throws {
        var table = ScalingTable()
        for size in [1, 2, 4, 8, 16, 32, 64] {
            let path = [String](repeating: "{urn:example}a<b=c>", count: size).joined(separator: "/")
            let xpath = [String](repeating: "c:a[@b='c']", count: size).joined(separator: "/")
            let timings = try bench.stopwatch.time(
                "compilation of \(size)",
                [
                    Contender("ours") { try Query(path).argumentCount },
                    Contender("pugixml XPath") { try PugiXMLQueries.compile(xpath) },
                    Contender("libxml2 XPath") { try LibXML2Queries.compile(xpath) },
                ])
            table.add(size, timings.map { ($0.name, $0.nanoseconds) })
        }
        bench.report.add(
            table.section(
                "Scaling: compilation",
                note:
                    "Nanoseconds to compile a path of `{urn:example}a<b=c>` and to let it go; in XPath `c:a[@b='c']`.",
                x: "segments", y: "ns"))
    }

    // MARK: Many queries on one stanza

    private func addRouter() throws {
        var table = ScalingTable()
        for size in [10, 100, 1_000, 10_000] {
            let stanza = "<iq type='get' id='1'><query xmlns='urn:example:\(size / 2)'/></iq>"
            let elements = [try Element(parsing: stanza, in: .clientStream)]
            let queries = try (0..<size).map { try Query(String("/{jabber:client}iq/{urn:example:\($0)}query")) }
            let set = try QuerySet(queries)
            var contenders = [
                Contender("ours, a set") { Sets.matches(set, elements) },
                Contender("ours, one by one") { try Sets.oneByOne(queries, elements) },
            ]
            // More of them take seconds.
            if size <= 1_000 {
                let document = Corpus.streamStart + stanza + Corpus.streamEnd
                let pugixml = try PeerDocuments.pugixml([document])
                let libxml2 = try PeerDocuments.libxml2([document])
                let pugixmlQueries = try PugiXMLQueries(
                    (0..<size).map { "self::iq/query[namespace-uri()='urn:example:\($0)']" })
                let libxml2Queries = try LibXML2Queries(
                    (0..<size).map { "self::c:iq/n\($0):query" },
                    prefixes: (0..<size).map { ("n\($0)", "urn:example:\($0)") })
                contenders.append(
                    Contender("pugixml XPath") { (0..<size).reduce(0) { $0 + pugixmlQueries.check($1, pugixml) } })
                contenders.append(
                    Contender("libxml2 XPath") { (0..<size).reduce(0) { $0 + libxml2Queries.check($1, libxml2) } })
            }
            let timings = try bench.stopwatch.time("router of \(size)", contenders)
            table.add(size, timings.map { ($0.name, $0.nanoseconds) })
        }
        bench.report.add(
            table.section(
                "Router",
                note:
                    "Nanoseconds for all queries on one stanza, which matches one of them. Each query has a namespace of "
                    + "its own, registered with libxml2's context under a prefix of its own.",
                x: "queries", y: "ns"))
    }

    /// All queries of a set match.
    private func addMatches() throws {
        var table = ScalingTable()
        for size in [1, 8, 10, 100, 1_000] {
            let names = (0..<size).map { "c\($0)" }
            let text = "<r>" + names.map { "<\($0)/>" }.joined() + "</r>"
            let elements = [try Element(parsing: text)]
            let queries = try names.map { try Query($0) }
            let set = try QuerySet(queries)
            let timings = try bench.stopwatch.time(
                "\(size) matches",
                [
                    Contender("ours, a set") { Sets.matches(set, elements) },
                    Contender("ours, one by one") { try Sets.oneByOne(queries, elements) },
                ])
            table.add(size, timings.map { ($0.name, $0.nanoseconds / Double(size)) })
        }
        bench.report.add(
            table.section(
                "Scaling: matches of a set",
                note:
                    "Nanoseconds for each of so many queries, all of which match: each another child of an element. Up to "
                    + "eight matches need no allocation.",
                x: "queries", y: "ns per query"))
    }
}
