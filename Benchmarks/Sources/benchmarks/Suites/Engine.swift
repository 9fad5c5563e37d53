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
    @inline(never)
    static func check(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let compiled = query.query
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements where try element.check(compiled, node) { count += 1 }
        } else {
            for element in elements where try element.check(compiled) { count += 1 }
        }
        return count
    }

    @inline(never)
    static func findFirst(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let compiled = query.query
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements where try element.findFirst(compiled, node) != nil { count += 1 }
        } else {
            for element in elements where try element.findFirst(compiled) != nil { count += 1 }
        }
        return count
    }

    @inline(never)
    static func find(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let compiled = query.query
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements { count += try element.find(compiled, node).count }
        } else {
            for element in elements { count += try element.find(compiled).count }
        }
        return count
    }

    /// A literal in the program's text.
    @inline(never)
    static func checkLiteral(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let literal = query.literal
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements where try element.check(literal, node) { count += 1 }
        } else {
            for element in elements where try element.check(literal) { count += 1 }
        }
        return count
    }

    /// A query made at run time.
    @inline(never)
    static func checkString(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let source = query.source
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements where try element.check(Query(source), node) { count += 1 }
        } else {
            for element in elements where try element.check(Query(source)) { count += 1 }
        }
        return count
    }

    @inline(never)
    static func findFirstLiteral(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let literal = query.literal
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements where try element.findFirst(literal, node) != nil { count += 1 }
        } else {
            for element in elements where try element.findFirst(literal) != nil { count += 1 }
        }
        return count
    }

    @inline(never)
    static func findFirstString(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let source = query.source
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements where try element.findFirst(Query(source), node) != nil { count += 1 }
        } else {
            for element in elements where try element.findFirst(Query(source)) != nil { count += 1 }
        }
        return count
    }

    @inline(never)
    static func findLiteral(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let literal = query.literal
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements { count += try element.find(literal, node).count }
        } else {
            for element in elements { count += try element.find(literal).count }
        }
        return count
    }

    @inline(never)
    static func findString(_ query: CompiledQuery, _ elements: [Element]) throws -> Int {
        let source = query.source
        let node = BenchmarkQuery.node
        var count = 0
        if query.takesNode {
            for element in elements { count += try element.find(Query(source), node).count }
        } else {
            for element in elements { count += try element.find(Query(source)).count }
        }
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

    init(corpus: Corpus, suffix: String = "", effort: Effort, report: Report) throws {
        self.corpus = corpus
        self.suffix = suffix
        elements = try corpus.elements()
        guard elements.count == corpus.stanzas.count else {
            throw PeerError(description: "\(corpus.stanzas.count) stanzas gave \(elements.count) elements")
        }
        queries = try BenchmarkQuery.all.map(CompiledQuery.init)
        stopwatch = Stopwatch(effort: effort)
        self.report = report
    }
}
