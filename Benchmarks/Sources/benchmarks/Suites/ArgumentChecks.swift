// Checks with arguments whose types the caller knows, in loops that nothing is inlined into: what a program does that
// asks many stanzas.

import StanzaQuery

/// A query with arguments, and how a program passes them.
struct ArgumentCheck {
    let name: String
    let source: String
    let run: ([Element]) throws -> Int

    static func all() throws -> [ArgumentCheck] {
        return [
            try ArgumentCheck("no argument", "{*}pubsub/items<node=\(BenchmarkQuery.node)>") { try check($0, $1) },
            try ArgumentCheck("string", "{*}pubsub/items<node=%@>") { try check($0, BenchmarkQuery.node, $1) },
            try ArgumentCheck("string, tested first", "/<from=%@>") { try check($0, "juliet@capulet.lit", $1) },
            try ArgumentCheck("integer, tested first", "/<id=%d>") { try check($0, 17, $1) },
            try ArgumentCheck("string within text", "/<id=push-%@>") { try check($0, "17", $1) },
            try ArgumentCheck("three", "/<id=%@-%d-%x>") { try check($0, "a", 1, 2, $1) },
        ]
    }

    private init(
        _ name: String, _ source: String, _ check: @escaping (Query<QueryValue>, [Element]) throws -> Int
    ) throws {
        let query = try Query(source)
        self.name = name
        self.source = source
        run = { try check(query, $0) }
    }

    @inline(never)
    private static func check(_ query: Query<QueryValue>, _ elements: [Element]) throws -> Int {
        var count = 0
        for element in elements where try element.check(query) { count += 1 }
        return count
    }

    @inline(never)
    private static func check(_ query: Query<QueryValue>, _ argument: String, _ elements: [Element]) throws -> Int {
        var count = 0
        for element in elements where try element.check(query, argument) { count += 1 }
        return count
    }

    @inline(never)
    private static func check(_ query: Query<QueryValue>, _ argument: Int, _ elements: [Element]) throws -> Int {
        var count = 0
        for element in elements where try element.check(query, argument) { count += 1 }
        return count
    }

    @inline(never)
    private static func check(
        _ query: Query<QueryValue>, _ first: String, _ second: Int, _ third: Int, _ elements: [Element]
    ) throws -> Int {
        var count = 0
        for element in elements where try element.check(query, first, second, third) { count += 1 }
        return count
    }
}
