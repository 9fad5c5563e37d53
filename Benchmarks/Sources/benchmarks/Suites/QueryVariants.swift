// Queries beside the ten: regular expressions, data forms, and arguments whose types the caller knows. They are timed
// and counted.

import Harness
import StanzaQuery

/// A query, and how a program asks it of many stanzas.
struct QueryVariant {
    let name: String
    let source: String
    let check: ([Element]) throws -> Int

    private init(
        _ name: String, _ source: String,
        _ check: @escaping (Query<QueryValue>, [Element]) throws -> Int = { try Engine.check($0, $1) }
    ) throws {
        let query = try Query(source)
        self.name = name
        self.source = source
        self.check = { try check(query, $0) }
    }

    static func all() throws -> [QueryVariant] {
        [
            try QueryVariant("equality", "/{*}*<type=result>"),
            try QueryVariant("regex literal", "/{*}*<type~^result$>"),
            try QueryVariant("regex alternation", "/{*}*<type~^(result|error)$>"),
            try QueryVariant("regex real", #"/{*}*<type~^[gs]et|r\w+t$>"#),
            try QueryVariant("form field", #"{*}query/\result@max-file-size\"#),
            try QueryVariant("argument: no argument", "{*}pubsub/items<node=\(BenchmarkQuery.node)>"),
            try QueryVariant("argument: string", "{*}pubsub/items<node=%@>") {
                try check($0, BenchmarkQuery.node, $1)
            },
            try QueryVariant("argument: string, tested first", "/<from=%@>") {
                try check($0, "juliet@capulet.lit", $1)
            },
            try QueryVariant("argument: integer, tested first", "/<id=%d>") { try check($0, 17, $1) },
            try QueryVariant("argument: string within text", "/<id=push-%@>") { try check($0, "17", $1) },
            try QueryVariant("argument: three", "/<id=%@-%d-%x>") { try check($0, "a", 1, 2, $1) },
        ]
    }

    @inline(never)
    private static func check(_ query: Query<QueryValue>, _ argument: String, _ elements: [Element]) throws -> Int {
        try Engine.number(of: elements) { try $0.check(query, argument) }
    }

    @inline(never)
    private static func check(_ query: Query<QueryValue>, _ argument: Int, _ elements: [Element]) throws -> Int {
        try Engine.number(of: elements) { try $0.check(query, argument) }
    }

    @inline(never)
    private static func check(
        _ query: Query<QueryValue>, _ first: String, _ second: Int, _ third: Int, _ elements: [Element]
    ) throws -> Int {
        try Engine.number(of: elements) { try $0.check(query, first, second, third) }
    }
}
