// The texts that the system shows for the errors of queries.

import Foundation
import StanzaQuery
import Testing

@Suite struct ErrorTextTests {
    @Test("The system shows the description of each error") func localized() throws {
        let wrong = #expect(throws: QueryError.self) { try Query("fin@count|integer") }
        let wrongSet = #expect(throws: QuerySetError.self) { try QuerySet(["fin@count|integer"]) }
        let stanza = try Element(parsing: "<fin count='1'/>")
        let mismatch = #expect(throws: ResultTypeError.self) { try stanza.find("/@count|int", as: Bool.self) }
        let cut = #expect(throws: XMLParseError.self) { try Element(parsing: "<fin") }
        let name = #expect(throws: XMLTreeError.self) { try MutableElement("a b") }
        for error in [wrong, wrongSet, mismatch, cut, name] as [(any Error)?] {
            let error = try #require(error)
            #expect(error.localizedDescription == "\(error)")
        }
    }
}
