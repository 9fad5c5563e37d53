// How evaluation grows: with the document, the results, the path, and the number of queries (a router).

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
        try addRouter()
    }

    private func add(
        _ title: String, x: String, sizes: [Int], note: String, finds: Bool = false, xml: (Int) -> String,
        query: (Int) -> (ours: String, xpath: String)
    ) throws {
        var lines: [String: [(x: Double, y: Double)]] = [:]
        var rows: [[String]] = []
        let names = ["ours", "pugixml XPath", "libxml2 XPath"]
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
                    Contender(names[0]) {
                        finds ? try elements[0].find(ours).count : try QuerySuite.check(ours, elements)
                    },
                    Contender(names[1]) { finds ? pugixmlQuery.find(0, pugixml) : pugixmlQuery.check(0, pugixml) },
                    Contender(names[2]) { finds ? libxml2Query.find(0, libxml2) : libxml2Query.check(0, libxml2) },
                ])
            for timing in timings { lines[timing.name, default: []].append((Double(size), timing.nanoseconds)) }
            rows.append(["\(size)"] + timings.map(\.nanoseconds.short))
        }
        bench.report.add(
            Section(
                title, note: "Nanoseconds per evaluation. \(note)", columns: [x] + names, rows: rows,
                plot: .lines(x: x, y: "ns", series: names.map { ($0, lines[$0] ?? []) })))
    }

    // MARK: Many queries on one stanza

    private func addRouter() throws {
        let names = ["ours, a set", "ours, one by one", "pugixml XPath", "libxml2 XPath"]
        var lines: [String: [(x: Double, y: Double)]] = [:]
        var rows: [[String]] = []
        for size in [10, 100, 1_000, 10_000] {
            let stanza = "<iq type='get' id='1'><query xmlns='urn:example:\(size / 2)'/></iq>"
            let elements = [try Element(parsing: stanza, in: .clientStream)]
            let queries = try (0..<size).map { try Query("/{jabber:client}iq/{urn:example:\($0)}query") }
            let set = try QuerySet(queries)
            var contenders = [
                Contender(names[0]) { Sets.matches(set, elements) },
                Contender(names[1]) { try Sets.oneByOne(queries, elements) },
            ]
            // More of them take seconds.
            if size <= 1_000 {
                let document = Corpus.streamStart + stanza + Corpus.streamEnd
                let pugixml = try PeerDocuments.pugixml([document])
                let libxml2 = try PeerDocuments.libxml2([document])
                let pugixmlQueries = try PugiXMLQueries(
                    (0..<size).map { "self::iq/query[namespace-uri()='urn:example:\($0)']" })
                let libxml2Queries = try LibXML2Queries(
                    (0..<size).map { "self::c:iq/*[local-name()='query' and namespace-uri()='urn:example:\($0)']" })
                contenders.append(
                    Contender(names[2]) { (0..<size).reduce(0) { $0 + pugixmlQueries.check($1, pugixml) } })
                contenders.append(
                    Contender(names[3]) { (0..<size).reduce(0) { $0 + libxml2Queries.check($1, libxml2) } })
            }
            let timings = try bench.stopwatch.time("router of \(size)", contenders)
            for timing in timings { lines[timing.name, default: []].append((Double(size), timing.nanoseconds)) }
            rows.append(["\(size)"] + names.indices.map { $0 < timings.count ? timings[$0].nanoseconds.short : "" })
        }
        bench.report.add(
            Section(
                "Router", note: "Nanoseconds for all queries on one stanza, which matches one of them.",
                columns: ["queries"] + names, rows: rows,
                plot: .lines(x: "queries", y: "ns", series: names.map { ($0, lines[$0] ?? []) })))
    }
}
