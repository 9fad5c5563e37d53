// Many results of one query: elements and values, in arrays, one after another and lent.

import Harness
import StanzaQuery

struct ResultSuite {
    let bench: Bench

    func run() throws {
        let query = (any: try Query("a"), elements: try Query("a", as: Element.self))
        let elements = try add(
            "Scaling: results", xpath: "a",
            note: "Nanoseconds per result of a query for all children. An array is of `find`. `for` and a closure that "
                + "borrows each element go through `results(of:)`, and read whether it has children."
        ) { element in
            [
                Contender("array") { try element.find(query.any).count },
                Contender("typed array") { try element.find(query.elements).count },
                Contender("`for`") { try Results.read(element, query.elements) },
                Contender("lent") { try Results.lend(element, query.elements) },
            ]
        }
        let texts = try Query("a@b", as: String.self)
        let values = try add(
            "Scaling: results that are texts", xpath: "a/@b",
            note: "The same for an attribute of 28 bytes: an array of strings, and bytes."
        ) { element in
            [
                Contender("array") { try element.find(texts).count },
                Contender("bytes lent") { try Results.lendBytes(element, texts) },
            ]
        }
        let slower = max(elements[1], elements[2])
        bench.report.add(Goal("10,000 elements, lent: × pugixml", .atMost(0.6, elements[3] / elements[4])))
        bench.report.add(
            Goal("10,000 elements, typed array or `for`, the slower: × pugixml", .atMost(1.15, slower / elements[4])))
        bench.report.add(Goal("10,000 values, bytes lent: × libxml2", .atMost(0.6, values[1] / values[3])))
    }

    /// Adds a table, with the peers after our ways, and returns the times for most results.
    private func add(
        _ title: String, xpath: String, note: String, _ ours: (Element) -> [Contender]
    ) throws -> [Double] {
        let queries = try Peer.all.map { try PeerQueries([xpath], $0) }
        var (names, rows, last): ([String], [[String]], [Double]) = ([], [], [])
        for size in [1, 10, 100, 1_000, 10_000] {
            let text = "<r>" + String(repeating: "<a b='juliet@example.com/balcony'/>", count: size) + "</r>"
            let peers = try zip(Peer.all, queries).map { peer, queries in
                let documents = try PeerDocuments(["<x>\(text)</x>"], peer)
                return Contender("\(peer.name) XPath") { queries.find(0, documents) }
            }
            let contenders = ours(try Element(parsing: text)) + peers
            names = contenders.map(\.name)
            last = try bench.stopwatch.time("\(title), \(size)", per: size, contenders)
            rows.append(["\(size)"] + last.cells(best: last.min()))
        }
        bench.report.add(Section(title, note: note, columns: ["results"] + names, rows: rows))
        return last
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
    static func lendBytes(_ element: Element, _ query: Query<String>) throws -> Int {
        var count = 0
        try element.results(of: query).forEachUTF8 { if !$0.isEmpty { count += 1 } }
        return count
    }
}
