// Many queries as one: sets beside their queries one by one.

import Harness
import StanzaQuery

/// Asks sets. Each returns how many queries match, so that engines can be compared.
enum Sets {
    @inline(never)
    static func matches(_ set: QuerySet, _ elements: [Element]) -> Int {
        var count = 0
        for element in elements { count += set.matches(element).count }
        return count
    }

    @inline(never)
    static func first(_ set: QuerySet, _ elements: [Element]) throws -> Int {
        try Engine.number(of: elements) { try set.bestMatch(in: $0) != nil }
    }

    @inline(never)
    static func oneByOne(_ queries: [Query<QueryValue>], _ elements: [Element]) throws -> Int {
        var count = 0
        for element in elements {
            for query in queries where try element.check(query) { count += 1 }
        }
        return count
    }

    /// The ten queries, the argument bound.
    static func ten(_ queries: [CompiledQuery]) throws -> QuerySet {
        var set = QuerySet()
        for query in queries {
            try set.insert(query.query, arguments: query.takesNode ? [BenchmarkQuery.node] : [])
        }
        return set
    }

    /// Routes removed and added again, one after another.
    @inline(never)
    static func exchange(
        _ set: inout QuerySet, _ ids: inout [QuerySet.ID], _ queries: [Query<QueryValue>], times: Int
    ) throws -> Int {
        for time in 0..<times {
            let place = time % ids.count
            set.remove(ids[place])
            ids[place] = try set.insert(queries[place])
        }
        return set.count
    }
}

/// Kinds of sets: many queries, and a stanza that matches one of them.
struct Routes: Sendable {
    let name: String
    let query: @Sendable (Int) -> String
    let stanza: @Sendable (Int) -> String

    static let all = [
        Routes(
            name: "namespace of a child", query: { "/{jabber:client}iq/{urn:example:\($0)}query" },
            stanza: { "<iq type='get' id='1'><query xmlns='urn:example:\($0)'/></iq>" }),
        Routes(
            name: "name", query: { "/{urn:example}name-\($0)" },
            stanza: { "<name-\($0) xmlns='urn:example' type='get' id='1'><query/></name-\($0)>" }),
        Routes(
            name: "value of an attribute", query: { "/{jabber:client}iq<type=result><id=stanza-\($0)>" },
            stanza: { "<iq type='result' id='stanza-\($0)'><query xmlns='urn:example'/></iq>" }),
        Routes(
            name: "node of a child", query: { "{urn:p}pubsub/items<node=urn:example:node:\($0)>/item" },
            stanza: {
                "<message><pubsub xmlns='urn:p'><items node='urn:example:node:\($0)'><item/></items></pubsub></message>"
            }),
        Routes(
            name: "regular expression after a name",
            query: { "/{jabber:client}iq/{urn:example:\($0)}query<node~^[a-z]+$>" },
            stanza: { "<iq type='get' id='1'><query xmlns='urn:example:\($0)' node='abc'/></iq>" }),
    ]

    func queries(_ count: Int) throws -> [Query<QueryValue>] { try (0..<count).map { try Query(query($0)) } }

    func elements(_ count: Int) throws -> [Element] { [try Element(parsing: stanza(count / 2), in: .clientStream)] }
}

struct SetSuite {
    let bench: Bench

    func run() throws {
        try addMatches()
        try addSizes()
    }

    /// Sets all of whose queries match.
    private func addMatches() throws {
        let sizes = [9, 32, 100, 1_000]
        var rows: [[String]] = []
        let times = try sizes.map { size in
            let names = (0..<size).map { "c\($0)" }
            let text = "<r>" + names.map { "<\($0)/>" }.joined() + "</r>"
            let elements = [try Element(parsing: text)]
            let queries = try names.map { try Query($0) }
            let set = try QuerySet(queries)
            let peers = try Peer.all.map { peer in
                let (queries, documents) = (try PeerQueries(names, peer), try PeerDocuments(["<x>\(text)</x>"], peer))
                return Contender(peer.name) { (0..<size).reduce(0) { $0 + queries.check($1, documents) } }
            }
            let times = try bench.stopwatch.time(
                "\(size) matches", per: size,
                [
                    Contender("a set") { Sets.matches(set, elements) },
                    Contender("one by one") { try Sets.oneByOne(queries, elements) },
                ] + peers)
            rows.append(["\(size)"] + times.cells(best: times.min()))
            return times
        }
        bench.report.add(
            Section(
                "Scaling: matches of a set",
                note:
                    "Nanoseconds for each of so many queries, all of which match: each another child of an element. Up "
                    + "to 16 matches need no allocation. Peers evaluate XPath one by one.",
                columns: ["queries", "ours, a set", "ours, one by one"] + Peer.all.map { "\($0.name) XPath" },
                rows: rows))
        // One by one, a few names that exist are found faster.
        let slowest = times.dropFirst().map { $0[0] / $0[1] }.max() ?? .nan
        let growth = times.dropFirst().map { $0[0] / times[0][0] }.max() ?? .nan
        bench.report.add(Goal("32 and more matches of a set, the worst: × one by one", .atMost(1, slowest)))
        bench.report.add(Goal("32 and more matches of a set, the worst: × 9, for each match", .atMost(1.3, growth)))
    }

    private func addSizes() throws {
        let sizes = [10, 100, 1_000, 10_000]
        var rows: [[String]] = []
        var worst = 0.0
        for routes in Routes.all {
            let contenders = try sizes.map { size in
                let set = try QuerySet(routes.queries(size))
                let elements = try routes.elements(size)
                return Contender("\(size)") { Sets.matches(set, elements) }
            }
            let times = try bench.stopwatch.time(routes.name, contenders)
            worst = max(worst, times[times.count - 1] / times[0])
            rows.append([routes.name, "`\(routes.query(0))` …"] + times.map(\.short))
        }
        let oneByOne = try sizes.map { size in
            let queries = try Routes.all[0].queries(size)
            let elements = try Routes.all[0].elements(size)
            return Contender("\(size)") { try Sets.oneByOne(queries, elements) }
        }
        let times = try bench.stopwatch.time("one by one", oneByOne)
        rows.append(["the first kind, one by one without a set", ""] + times.map(\.short))
        bench.report.add(
            Section(
                "Sets: number of queries",
                note: "Nanoseconds for `matches` on one stanza, which matches one of so many queries.",
                columns: ["what differs", "queries"] + sizes.map { "\($0)" }, rows: rows))
        bench.report.add(Goal("10,000 queries as a set: × 10, the worst kind", .atMost(3, worst)))
    }
}
