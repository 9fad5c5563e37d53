// The work whose instructions and allocations are counted. An operation is one evaluation, one stanza or one query.

import Harness
import StanzaQuery
import _StanzaLimit

struct CountedWorks {
    let bench: Bench

    func all() throws -> [CountedWork] {
        try evaluations() + single() + matching() + variants() + sets() + trees() + freeing()
    }

    /// The mean of the ten queries on the corpus, each way of asking.
    private func evaluations() -> [CountedWork] {
        let (queries, elements) = (bench.queries, bench.elements)
        let limit = LimitQueries(node: BenchmarkQuery.node)
        func ten(_ name: String, _ evaluate: @escaping (Int) throws -> Int) -> CountedWork {
            CountedWork(name, operations: queries.count * elements.count) {
                try queries.indices.reduce(0) { $0 + (try evaluate($1)) }
            }
        }
        return [
            ten("ten limit") { limit.count($0, in: elements) },
            ten("ten check") { try Engine.check(queries[$0], elements) },
            ten("ten findFirst") { try Engine.findFirst(queries[$0], elements) },
            ten("ten find") { try Engine.find(queries[$0], elements) },
            ten("ten check StaticString") { try Engine.checkLiteral(queries[$0], elements) },
            ten("ten check String") { try Engine.checkString(queries[$0], elements) },
        ]
    }

    private func single() -> [CountedWork] {
        let (queries, elements) = (bench.queries, bench.elements)
        return queries.indices.map { number in
            CountedWork("check \(number + 1)", operations: elements.count) {
                try Engine.check(queries[number], elements)
            }
        } + [
            // Its results are elements: nothing has to be made for them.
            CountedWork("findFirst, an element", operations: elements.count) {
                try Engine.findFirst(queries[3], elements)
            },
            CountedWork("check StaticString with an argument", operations: elements.count) {
                try Engine.checkLiteral(queries[8], elements)
            },
        ]
    }

    /// Only stanzas that have a result: many without one would hide the cost of a result.
    private func matching() throws -> [CountedWork] {
        let (item, body, id) = (bench.queries[3], bench.queries[4], bench.queries[7])
        let (items, bodies, ids) = (try stanzas(with: item), try stanzas(with: body), try stanzas(with: id))
        let forms = try Query(#"{*}*/\@FORM_TYPE\"#)
        let withForms = try bench.elements.filter { try $0.check(forms) }
        let ten = try Sets.ten(bench.queries)
        let matched = bench.elements.filter { !ten.matches($0).isEmpty }
        let many = try Element(parsing: "<r>" + String(repeating: "<a b='c'/>", count: 1_000) + "</r>")
        let (each, eachText) = (try Query("a", as: Element.self), try Query("a@b", as: String.self))
        return [
            CountedWork("results, lent", operations: 1_000) { try Results.lend(many, each) },
            CountedWork("results, bytes lent", operations: 1_000) { try Results.lendBytes(many, eachText) },
            CountedWork("all match: check", operations: ids.count) { try Engine.check(id, ids) },
            CountedWork("all match: check, text", operations: bodies.count) { try Engine.check(body, bodies) },
            CountedWork("all match: check StaticString", operations: ids.count) { try Engine.checkLiteral(id, ids) },
            CountedWork("all match: check, form field", operations: withForms.count) {
                try Engine.check(forms, withForms)
            },
            CountedWork("all match: findFirst, an element", operations: items.count) {
                try Engine.findFirst(item, items)
            },
            CountedWork("all match: set of ten", operations: matched.count) { Sets.matches(ten, matched) },
            CountedWork("all match: first of a set of ten", operations: matched.count) { try Sets.first(ten, matched) },
        ]
    }

    private func stanzas(with query: CompiledQuery) throws -> [Element] {
        try bench.elements.filter { try Engine.check(query, [$0]) == 1 }
    }

    private func variants() throws -> [CountedWork] {
        let elements = bench.elements
        return try QueryVariant.all().map { variant in
            CountedWork(variant.name, operations: elements.count) { try variant.check(elements) }
        } + [CountedWork("compile", operations: BenchmarkQuery.all.count) { try QuerySuite.compile() }]
    }

    private func sets() throws -> [CountedWork] {
        let elements = bench.elements
        let ten = try Sets.ten(bench.queries)
        var works = [
            CountedWork("set of ten matches", operations: elements.count) { Sets.matches(ten, elements) },
            CountedWork("set of ten first", operations: elements.count) { try Sets.first(ten, elements) },
        ]
        for routes in Routes.all {
            for size in [10, 10_000] {
                let set = try QuerySet(routes.queries(size))
                let elements = [Element](repeating: try routes.elements(size)[0], count: 100)
                works.append(
                    CountedWork("set of \(size) by \(routes.name)", operations: elements.count) {
                        Sets.matches(set, elements)
                    })
            }
        }
        let texts = (0..<1_000).map(Routes.all[0].query)
        let queries = try Routes.all[0].queries(1_000)
        var set = try QuerySet(queries)
        var ids = set.ids
        return works + [
            CountedWork("compile for a set", operations: texts.count) { try texts.map { try compiledAnew($0) }.count },
            CountedWork("make a set", operations: texts.count) {
                try QuerySet(texts.map { try compiledAnew($0) }).count
            },
            CountedWork("exchange in a set", operations: 100) {
                try Sets.exchange(&set, &ids, queries, times: 100)
            },
        ]
    }

    private func trees() throws -> [CountedWork] {
        let elements = bench.elements
        let stream = bench.corpus.stream
        let thawed = elements.map { $0.thaw() }
        func hundred(_ name: String, _ run: @escaping () throws -> Int) -> CountedWork {
            CountedWork(name, operations: 100) { try (0..<100).reduce(0) { sum, _ in sum + (try run()) } }
        }
        return [
            CountedWork("parse stream", operations: elements.count) {
                try Parsing.stream(stream, chunk: Parsing.packet)
            },
            CountedWork("parse document", operations: elements.count) {
                try Parsing.document(stream, chunk: Parsing.packet) == nil ? 0 : 1
            },
            hundred("build") { try Trees.build().attributes.count },
            hundred("build an element with four attributes") { try Trees.buildLeaf("i1").attributes.count },
            hundred("build an element with four children") { try Trees.buildChildren(4) },
            CountedWork("add a child with an attribute", operations: 1_000) { try Trees.addChildren(1_000) },
            CountedWork("build and add a child with an attribute", operations: 1_000) {
                try Trees.buildChildren(1_000)
            },
            CountedWork("write", operations: elements.count) { Trees.write(elements) },
            CountedWork("copy", operations: elements.count) { Trees.copy(elements) },
            CountedWork("thaw", operations: elements.count) { Trees.thaw(elements) },
            CountedWork("freeze", operations: elements.count) { Trees.freeze(thawed) },
        ]
    }

    /// Trees without other references.
    private final class Copies {
        var elements: [Element] = []
    }

    private func freeing() throws -> [CountedWork] {
        try [10, 10_000].map { size in
            let element = try Element(parsing: Trees.text(of: size))
            let count = 100
            let copies = Copies()
            return CountedWork(
                "free \(size) elements", operations: count,
                prepare: { copies.elements = (0..<count).map { _ in element.copy() } },
                {
                    copies.elements.removeAll(keepingCapacity: true)
                    return count
                })
        }
    }

    /// Whether this work must not allocate: checks, the first element, and first results where every stanza has one.
    static func isFree(_ name: String) -> Bool {
        ["ten check", "findFirst, an element"].contains(name) || name.hasPrefix("check ")
            || name.hasPrefix("all match: ")
    }
}
