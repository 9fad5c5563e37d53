// Which queries the first tag of a stanza answers, by examples.

import QueryTools
import Testing

@testable import StanzaQuery

@Suite("Queries about first tags") struct TagQueryTests {
    private static func text(_ query: TagQuery) -> String {
        let conditions = query.conditions.map { $0.attribute + ($0.value.map { "=\($0)" } ?? "") }
        return "\(query.name ?? "*") [\(conditions.joined(separator: " "))] \(query.result ?? "-")"
    }

    @Test(
        "are about the own name and attributes",
        arguments: [
            ("/@id", "* [] id"), ("@id", "* [] id"), ("", "* [] -"), ("/presence", "presence [] -"),
            ("/message<type=chat>@from", "message [type=chat] from"), ("/{*}iq@to", "iq [] to"),
            ("/<type=error>", "* [type=error] -"), ("/<a~.*><b=50%%><b~.*>@c", "* [a b=50% b] c"),
        ])
    func examples(query: String, expected: String) throws {
        #expect(try Query(query).tagQuery.map(Self.text) == expected)
    }

    @Test(
        "are not about anything else",
        arguments: [
            "body#", "/message/body", "/{urn:x}a@id", "/!a@id", "/<xmlns=urn:x>@id", "/@xmlns", "/@xml:lang", "/@{u}k",
            "/<{u}k=1>@id", "/<p:k=1>@id", "/@@", "/#", "/$", "/@id|int", "../@id", "/<id~^1>", "/<id~1>@id",
            "/<id~^(1|2)$>@id", "/<id=%@>@id", "\\@field\\",
        ])
    func others(query: String) throws {
        #expect(try Query(query).tagQuery == nil)
    }

    @Test("compare values exactly")
    func caseless() throws {
        #expect(try Query("/<k=x>@id", options: .caseInsensitiveFilters).tagQuery == nil)
        #expect(try Query("/<k=%@>@id").binding(arguments: ["x"]).tagQuery == nil)
    }
}
