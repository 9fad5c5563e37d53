// Many queries as one: sets beside their queries one by one, and the costs of making and changing them.

import StanzaQuery
import _StanzaLimit

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
        var count = 0
        for element in elements where try set.bestMatch(in: element) != nil { count += 1 }
        return count
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
    static func exchange(_ set: inout QuerySet, _ ids: inout [QuerySet.ID], _ queries: [Query<QueryValue>], times: Int)
        throws
        -> Int
    {
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

    static let sizes = [10, 100, 1_000, 10_000]

    func run() throws {
        try addTen()
        try addSizes()
        try addBuilding()
    }

    // MARK: The ten queries

    private func addTen() throws {
        let elements = bench.elements
        let set = try Sets.ten(bench.queries)
        let queries = bench.queries
        let timings = try bench.stopwatch.time(
            "the ten as a set",
            [
                Contender("one by one") { try queries.reduce(0) { try $0 + Engine.check($1, elements) } },
                Contender("stanza by stanza") { try Engine.checkAll(queries, elements) },
                Contender("set") { Sets.matches(set, elements) },
            ])
        let first = try bench.stopwatch.time("first of the ten") { try Sets.first(set, elements) }
        let limit = LimitQueries(node: BenchmarkQuery.node)
        let bounds = [
            try bench.stopwatch.time("by hand") { queries.indices.reduce(0) { $0 + limit.count($1, in: elements) } },
            try bench.stopwatch.time("names") { limit.countNames(in: elements) },
        ]
        let all = timings + [first] + bounds
        let oneByOne = min(timings[0].nanoseconds, timings[1].nanoseconds)
        bench.report.add(
            Section(
                "Sets: the ten queries",
                note:
                    "Nanoseconds per stanza for all ten on the corpus; the argument is bound for each stanza when they are "
                    + "asked one by one, and once in the set. One by one, a query runs on all stanzas and then the next one, "
                    + "or all ten run on a stanza and then on the next. The last two rows are bounds: hand-written code for "
                    + "each query, and a loop that only reads the names that any set has to look at, and returns nothing. "
                    + "One by one, most of the ten end at their first instruction, so they are already faster than code "
                    + "that is written by hand for each. A set gains less on ten than on many queries: it takes the same "
                    + "time for 10,000.",
                columns: ["way"] + ["ns per stanza", "× one by one"],
                rows: zip(
                    [
                        "`check`, query by query", "`check`, stanza by stanza", "`matches` of a set",
                        "`bestMatch` of a set",
                        "by hand (the limit), query by query", "the names of all attributes and children, read once",
                    ],
                    all
                ).map { name, timing in
                    [
                        name, (timing.nanoseconds / Double(elements.count)).short,
                        (timing.nanoseconds / oneByOne).short,
                    ]
                },
                plot: .bars(
                    unit: "ns per stanza",
                    values: zip(
                        [
                            "one by one, query by query", "one by one, stanza by stanza", "matches", "first", "by hand",
                            "names",
                        ], all
                    )
                    .map { ($0, $1.nanoseconds / Double(elements.count)) })))
    }

    // MARK: Growing sets

    private func addSizes() throws {
        var rows: [[String]] = []
        var lines: [(name: String, points: [(x: Double, y: Double)])] = []
        var worst = 0.0
        for routes in Routes.all {
            var points: [(x: Double, y: Double)] = []
            let contenders = try Self.sizes.map { size in
                let set = try QuerySet(routes.queries(size))
                let elements = try routes.elements(size)
                return Contender("\(size)") { Sets.matches(set, elements) }
            }
            for (size, timing) in zip(Self.sizes, try bench.stopwatch.time(routes.name, contenders)) {
                points.append((Double(size), timing.nanoseconds))
            }
            worst = max(worst, points[points.count - 1].y / points[0].y)
            rows.append([routes.name, "`\(routes.query(0))` …"] + points.map(\.y.short))
            lines.append((routes.name, points))
        }
        bench.report.add(
            Section(
                "Sets: number of queries",
                note: "Nanoseconds for `matches` on one stanza, which matches one of so many queries.",
                columns: ["what differs", "queries"] + Self.sizes.map { "\($0)" }, rows: rows,
                plot: .lines(x: "queries", y: "ns", series: lines.map { ($0.name, $0.points) })))
        bench.report.add(.atMost(3, "10,000 queries as a set: × of 10, the worst kind", worst))
    }

    // MARK: Making and changing

    private func addBuilding() throws {
        let routes = Routes.all[0]
        let ways = ["compiled one by one", "set of texts", "set of queries", "exchange"]
        var rows: [[String]] = []
        var lines = [[(x: Double, y: Double)]](repeating: [], count: ways.count)
        var ratio = 0.0
        for size in Self.sizes {
            let texts = (0..<size).map(routes.query)
            let queries = try routes.queries(size)
            var set = try QuerySet(queries)
            var ids = set.ids
            let timings = try bench.stopwatch.time(
                "building \(size)", agreeing: false,
                [
                    Contender("one by one") { try texts.map { try compiledAnew($0) }.count },
                    Contender("set of texts") { try QuerySet(texts.map { try compiledAnew($0) }).count },
                    Contender("set of queries") { try QuerySet(queries).count },
                    Contender("exchange") { try Sets.exchange(&set, &ids, queries, times: size) },
                ])
            let times = timings.map { $0.nanoseconds / Double(size) }
            ratio = times[1] / times[0]
            let bytes = try Counter.bytes { try QuerySet(queries) }
            for (way, time) in times.enumerated() { lines[way].append((Double(size), time)) }
            rows.append(["\(size)"] + times.map(\.short) + ["\(bytes / size)"])
        }
        bench.report.add(
            Section(
                "Sets: building and changing",
                note: "Nanoseconds per query: compiling them, making a set of their texts or of compiled ones, and "
                    + "removing one and adding it again. Bytes are those of the set, without its programs.",
                columns: ["queries"] + ways + ["bytes per query"], rows: rows,
                plot: .lines(x: "queries", y: "ns per query", series: zip(ways, lines).map { ($0, $1) })))
        bench.report.add(.atMost(2, "building a set of 10,000: × compiling them one by one", ratio))
    }
}
