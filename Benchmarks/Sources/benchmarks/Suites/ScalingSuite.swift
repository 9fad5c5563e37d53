// How evaluation grows: with the document, the results, the path, and the number of queries (a router). Work on trees
// is ScalingSuite+Trees.swift.

import StanzaQuery
import _StanzaLimit

struct ScalingSuite {
    let bench: Bench

    func run() throws {
        try add(
            "Scaling: document size", x: "children", sizes: [10, 100, 1_000, 10_000],
            note: "`check` of a child that is not there.",
            xml: { "<r>" + String(repeating: "<a b='c'/>", count: $0) + "</r>" },
            query: { _ in ("z", "z") })
        try addResults()
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
        _ title: String, x: String, sizes: [Int], note: String, xml: (Int) -> String,
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
                    Contender("ours") { try QuerySuite.check(ours, elements) },
                    Contender("pugixml XPath") { pugixmlQuery.check(0, pugixml) },
                    Contender("libxml2 XPath") { libxml2Query.check(0, libxml2) },
                ])
            table.add(size, timings.map { ($0.name, $0.nanoseconds) })
        }
        bench.report.add(table.section(title, note: "Nanoseconds per evaluation. \(note)", x: x, y: "ns"))
    }

    /// Elements and values that one query finds, and the peers' node sets.
    private func addResults() throws {
        let sizes = [1, 10, 100, 1_000, 10_000]
        let queries = (try Query("a"), try Query("a", as: Element.self), try Query("a@b", as: String.self))
        let pugixmlQueries = try PugiXMLQueries(["a", "a/@b"])
        let libxml2Queries = try LibXML2Queries(["a", "a/@b"])
        var tables = (elements: ScalingTable(), values: ScalingTable())
        for size in sizes {
            let text = "<r>" + String(repeating: "<a b='juliet@example.com/balcony'/>", count: size) + "</r>"
            let element = try Element(parsing: text)
            let pugixml = try PeerDocuments.pugixml(["<x>\(text)</x>"])
            let libxml2 = try PeerDocuments.libxml2(["<x>\(text)</x>"])
            let elements = try bench.stopwatch.time(
                "\(size) elements",
                [
                    Contender("array") { try element.find(queries.0).count },
                    Contender("typed array") { try element.find(queries.1).count },
                    Contender("`for`") { try Results.read(element, queries.1) },
                    Contender("lent") { try Results.lend(element, queries.1) },
                    Contender("pugixml XPath") { pugixmlQueries.find(0, pugixml) },
                    Contender("libxml2 XPath") { libxml2Queries.find(0, libxml2) },
                ])
            let values = try bench.stopwatch.time(
                "\(size) values",
                [
                    Contender("array") { try element.find(queries.2).count },
                    Contender("`for`") { try Results.readStrings(element, queries.2) },
                    Contender("bytes lent") { try Results.lendBytes(element, queries.2) },
                    Contender("pugixml XPath") { pugixmlQueries.find(1, pugixml) },
                    Contender("libxml2 XPath") { libxml2Queries.find(1, libxml2) },
                ])
            tables.elements.add(size, elements.map { ($0.name, $0.nanoseconds / Double(size)) })
            tables.values.add(size, values.map { ($0.name, $0.nanoseconds / Double(size)) })
            guard size == sizes.last else { continue }
            for (place, goal) in [(1, 1.15), (2, 1.15), (3, 0.6)] {
                let ratio = elements[place].nanoseconds / elements[4].nanoseconds
                bench.report.add(.atMost(goal, "10,000 elements, \(elements[place].name): × pugixml", ratio))
            }
            let ratio = values[2].nanoseconds / values[4].nanoseconds
            bench.report.add(.atMost(0.6, "10,000 values, bytes lent: × libxml2", ratio))
        }
        bench.report.add(
            tables.elements.section(
                "Scaling: results",
                note:
                    "Nanoseconds per result of a query for all children. An array is of `find`. `for` and a closure that "
                    + "borrows each element go through `results(of:)`, and read whether it has children.",
                x: "results", y: "ns per result"))
        bench.report.add(
            tables.values.section(
                "Scaling: results that are texts",
                note: "The same for an attribute of 28 bytes: an array of strings, strings one after another, bytes.",
                x: "results", y: "ns per result"))
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
                    Contender("ours") { try compiledAnew(path).argumentCount },
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
            let elements = [try Element(stanza: stanza)]
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
        var worst = 0.0
        var nine = Double.nan
        for size in [1, 8, 9, 32, 100, 1_000] {
            let names = (0..<size).map { "c\($0)" }
            let text = "<r>" + names.map { "<\($0)/>" }.joined() + "</r>"
            let elements = [try Element(parsing: text)]
            let queries = try names.map { try Query($0) }
            let set = try QuerySet(queries)
            let pugixml = try PeerDocuments.pugixml(["<x>\(text)</x>"])
            let pugixmlQueries = try PugiXMLQueries(names)
            let timings = try bench.stopwatch.time(
                "\(size) matches",
                [
                    Contender("ours, a set") { Sets.matches(set, elements) },
                    Contender("ours, one by one") { try Sets.oneByOne(queries, elements) },
                    Contender("pugixml XPath") { (0..<size).reduce(0) { $0 + pugixmlQueries.check($1, pugixml) } },
                ])
            table.add(size, timings.map { ($0.name, $0.nanoseconds / Double(size)) })
            let each = timings[0].nanoseconds / Double(size)
            if size == 9 {
                nine = each
                let ratio = timings[0].nanoseconds / timings[2].nanoseconds
                bench.report.add(.atMost(0.25, "9 matches of a set: × pugixml's XPath one by one", ratio))
            } else if size > 9 {
                bench.report.add(.atMost(1.3, "\(size) matches of a set: × 9, for each match", each / nine))
            }
            // A few names that exist are found faster one by one.
            if size >= 32 { worst = max(worst, timings[0].nanoseconds / timings[1].nanoseconds) }
        }
        bench.report.add(.atMost(1, "32 and more matches of a set: × one by one", worst))
        bench.report.add(
            table.section(
                "Scaling: matches of a set",
                note:
                    "Nanoseconds for each of so many queries, all of which match: each another child of an element. Up to "
                    + "16 matches need no allocation.",
                x: "queries", y: "ns per query"))
    }
}

/// Goes through results one after another, and reads each.
enum Results {
    @inline(never)
    static func read(_ element: Element, _ query: Query<Element>) throws -> Int {
        var count = 0
        for result in try element.results(of: query) where result.firstChild == nil { count += 1 }
        return count
    }

    @inline(never)
    static func lend(_ element: Element, _ query: Query<Element>) throws -> Int {
        var count = 0
        try element.results(of: query).forEachBorrowed { if $0.firstChild == nil { count += 1 } }
        return count
    }

    @inline(never)
    static func readStrings(_ element: Element, _ query: Query<String>) throws -> Int {
        var count = 0
        for text in try element.results(of: query) where !text.isEmpty { count += 1 }
        return count
    }

    @inline(never)
    static func lendBytes(_ element: Element, _ query: Query<String>) throws -> Int {
        var count = 0
        try element.results(of: query).forEachUTF8 { if !$0.isEmpty { count += 1 } }
        return count
    }
}
