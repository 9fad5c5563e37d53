// The texts that the system shows for the errors of queries.

import Foundation
import StanzaQuery
import Testing

@Suite struct ErrorTextTests {
    @Test("The system shows the description of each error") func localized() throws {
        let wrong = #expect(throws: QueryError.self) { try Query("fin@count|integer") }
        let wrongSet = #expect(throws: QuerySetError.self) { try QuerySet(["fin@count|integer"]) }
        let stanza = try Element(parsing: "<fin count='1'/>")
        let mismatch = #expect(throws: QueryError.self) { try stanza.find("/@count|int", as: Bool.self) }
        let cut = #expect(throws: XMLParseError.self) { try Element(parsing: "<fin") }
        let name = #expect(throws: XMLTreeError.self) { try XMLName("a b" + "") }
        for error in [wrong, wrong?.first, wrongSet, mismatch, cut, name] as [(any Error)?] {
            let error = try #require(error)
            #expect(error.localizedDescription == "\(error)")
        }
    }

    @Test("An error of types shows the part of the query that decides") func resultType() throws {
        let error = try #require(queryError { _ = try Query("{urn:x}a@b|int", as: Bool.self) })
        #expect(
            error.description == """
                error: results of kind 'int' for the type 'Bool'
                  {urn:x}a@b|int
                             ^~~ expected bool: change the end of the query, or the type in 'as:' or '#query<…>'
                """)
    }

    @Test("Arguments for a query that has its own are reported as that") func boundArguments() throws {
        let stanza = try Element(parsing: "<fin count='1'/>")
        let bound = try Query("/<count=%@>").binding("1")
        for body: () throws -> Void in [
            { _ = try stanza.check(bound, "2") }, { _ = try bound.binding("2") },
            { _ = try stanza.find("/<count=\(1)>", "2") },
        ] {
            let error = try #require(queryError { try body() })
            #expect(error.first.problem == .argumentsAreBound(given: 1))
            #expect(error.description.contains("arguments for a query that has its arguments"))
        }
    }
}
