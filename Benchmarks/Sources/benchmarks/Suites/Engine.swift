// Our own evaluations, in loops that nothing is inlined into, as in a program that queries many stanzas.

import StanzaQuery

/// A compiled query with its argument.
struct CompiledQuery {
    let query: Query<QueryValue>
    let literal: QueryLiteral
    let source: String
    let takesNode: Bool

    init(_ benchmark: BenchmarkQuery) throws {
        query = try Query(benchmark.stanza)
        literal = QueryLiteral(stringLiteral: benchmark.literal)
        source = benchmark.stanza
        takesNode = benchmark.takesNode
    }
}

/// Each counts results, so that engines can be compared.
enum Engine {
    // MARK: Compiled queries

    @inline(never)
    static func check(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let compiled = query.query
        return try sum(
            query, elements,
            with: { try $0.check(compiled, $1) ? 1 : 0 },
            without: { try $0.check(compiled) ? 1 : 0 })
    }

    @inline(never)
    static func findFirst(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let compiled = query.query
        return try sum(
            query, elements,
            with: { try $0.findFirst(compiled, $1) == nil ? 0 : 1 },
            without: { try $0.findFirst(compiled) == nil ? 0 : 1 })
    }

    @inline(never)
    static func find(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let compiled = query.query
        return try sum(
            query, elements,
            with: { try $0.find(compiled, $1).count },
            without: { try $0.find(compiled).count })
    }

    // MARK: Literals in the program's text

    @inline(never)
    static func checkLiteral(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let literal = query.literal
        return try sum(
            query, elements,
            with: { try $0.check(literal, $1) ? 1 : 0 },
            without: { try $0.check(literal) ? 1 : 0 })
    }

    @inline(never)
    static func findFirstLiteral(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let literal = query.literal
        return try sum(
            query, elements,
            with: { try $0.findFirst(literal, $1) == nil ? 0 : 1 },
            without: { try $0.findFirst(literal) == nil ? 0 : 1 })
    }

    @inline(never)
    static func findLiteral(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let literal = query.literal
        return try sum(
            query, elements,
            with: { try $0.find(literal, $1).count },
            without: { try $0.find(literal).count })
    }

    // MARK: Queries made at run time

    @inline(never)
    static func checkString(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let source = query.source
        return try sum(
            query, elements,
            with: { try $0.check(source, $1) ? 1 : 0 },
            without: { try $0.check(source) ? 1 : 0 })
    }

    @inline(never)
    static func findFirstString(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let source = query.source
        return try sum(
            query, elements,
            with: { try $0.findFirst(source, $1) == nil ? 0 : 1 },
            without: { try $0.findFirst(source) == nil ? 0 : 1 })
    }

    @inline(never)
    static func findString(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let source = query.source
        return try sum(
            query, elements,
            with: { try $0.find(source, $1).count },
            without: { try $0.find(source).count })
    }

    /// The loops, one for queries with the argument. Both closures are inlined.
    @inline(__always)
    private static func sum(
        _ query: CompiledQuery, _ elements: [Element],
        with: (Element, String) throws -> Int, without: (Element) throws -> Int
    ) rethrows -> Int {
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements { count += try with(element, node) }
        } else {
            for element in elements { count += try without(element) }
        }
        return count
    }
}

/// The requirements of a benchmark run.
struct Bench {
    let corpus: Corpus
    let elements: [Element]
    let queries: [CompiledQuery]
    let stopwatch: Stopwatch
    let report: Report

    init(corpus: Corpus, effort: Effort, report: Report) throws {
        self.corpus = corpus
        elements = try corpus.elements()
        guard elements.count == corpus.stanzas.count else {
            throw PeerError(description: "\(corpus.stanzas.count) stanzas gave \(elements.count) elements")
        }
        queries = try BenchmarkQuery.all.map(CompiledQuery.init)
        stopwatch = Stopwatch(effort: effort)
        self.report = report
    }
}
