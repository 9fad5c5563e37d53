// Our own evaluations, in loops that are inlined nowhere, as in a program that queries many stanzas.

import Harness
import StanzaQuery

/// A compiled query with its argument.
struct CompiledQuery {
    let query: Query<QueryValue>
    let literal: QueryLiteral
    let source: String
    let takesNode: Bool

    init(_ benchmark: BenchmarkQuery) throws {
        query = try Query(benchmark.source)
        literal = QueryLiteral(stringLiteral: benchmark.literal)
        source = benchmark.source
        takesNode = benchmark.takesNode
    }
}

/// Each counts results, so that engines can be compared.
enum Engine {
    @inline(never)
    static func check(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let (compiled, node) = (query.query, BenchmarkQuery.node)
        return query.takesNode
            ? try number(of: elements) { try $0.check(compiled, node) }
            : try number(of: elements) { try $0.check(compiled) }
    }

    @inline(never)
    static func check(_ query: Query<QueryValue>, _ elements: [Element]) throws -> Int {
        try number(of: elements) { try $0.check(query) }
    }

    /// A literal in the program's text.
    @inline(never)
    static func checkLiteral(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let (literal, node) = (query.literal, BenchmarkQuery.node)
        return query.takesNode
            ? try number(of: elements) { try $0.check(literal, node) }
            : try number(of: elements) { try $0.check(literal) }
    }

    /// A query made at run time.
    @inline(never)
    static func checkString(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let (source, node) = (query.source, BenchmarkQuery.node)
        return query.takesNode
            ? try number(of: elements) { try $0.check(Query(source), node) }
            : try number(of: elements) { try $0.check(Query(source)) }
    }

    @inline(never)
    static func findFirst(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let (compiled, node) = (query.query, BenchmarkQuery.node)
        return query.takesNode
            ? try number(of: elements) { try $0.findFirst(compiled, node) != nil }
            : try number(of: elements) { try $0.findFirst(compiled) != nil }
    }

    @inline(never)
    static func find(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let (compiled, node) = (query.query, BenchmarkQuery.node)
        var count = 0
        if query.takesNode {
            for element in elements { count += try element.find(compiled, node).count }
        } else {
            for element in elements { count += try element.find(compiled).count }
        }
        return count
    }

    @inline(__always)
    static func number(of elements: [Element], where isFound: (Element) throws -> Bool) rethrows -> Int {
        var count = 0
        for element in elements where try isFound(element) { count += 1 }
        return count
    }
}

/// The requirements of a benchmark run on one corpus.
struct Bench {
    let corpus: Corpus
    /// What titles and goals add if the corpus is not that of most rows.
    let suffix: String
    let elements: [Element]
    let queries: [CompiledQuery]
    let stopwatch: Stopwatch
    let report: Report

    init(corpus: Corpus, suffix: String = "", stopwatch: Stopwatch, report: Report) throws {
        self.corpus = corpus
        self.suffix = suffix
        // All from one parser, as a client gets them.
        elements = try Parsing.streamKept(corpus.stream, chunk: Parsing.packet)
        guard elements.count == corpus.stanzas.count else {
            throw BenchmarkError("\(corpus.stanzas.count) stanzas gave \(elements.count) elements")
        }
        queries = try BenchmarkQuery.all.map(CompiledQuery.init)
        self.stopwatch = stopwatch
        self.report = report
    }
}
