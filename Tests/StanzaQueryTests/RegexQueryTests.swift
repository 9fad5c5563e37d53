// Regular expressions in queries: their limits (3.8).

import Testing

@testable import StanzaQuery

@Suite struct RegexQueryTests {
    @Test func longValuesInQueries() throws {
        let value = String(repeating: "a", count: 4097)
        let root = MutableElement("r", attributes: ["k": value, "j": "1"])
        // Literals that replace unanchored patterns have the limit, too.
        for pattern in ["a", "b", "a$", "$", "[a]"] {
            let error = queryError(pattern) { _ = try root.check(Query(String("/<j=1><k~\(pattern)>"))) }
            #expect(error?.kind == .regexLimit, "\(pattern)")
            #expect(error?.range == 9..<(9 + pattern.utf8.count), "\(pattern)")
        }
        for pattern in ["^a", "^.*$", "^a+$", ".*", "^", "^(a+|b)$"] {
            #expect(try root.check(Query(String("/<k~\(pattern)>"))), "\(pattern)")
        }
        for pattern in ["^a$", "^b", "^(a|b)$"] {
            #expect(try !root.check(Query(String("/<k~\(pattern)>"))), "\(pattern)")
        }
        #expect(try root.check(Query(String("/<k=\(value.uppercased())>"), options: .caseInsensitiveFilters)))
        #expect(try root.check(Query("/<k=%@>", options: .caseInsensitiveFilters), value.uppercased()))
        let error = queryError { _ = try root.check(Query("/<k~a>", options: .caseInsensitiveFilters)) }
        #expect(error?.kind == .regexLimit)
    }

    @Test func errorsOfTheLimit() throws {
        let root = try element("<r><a k='\(String(repeating: "a", count: 60))!'/></r>")
        let error = try #require(queryError { _ = try root.find("a<k~^(a+)+$>") })
        #expect(error.kind == .regexLimit)
        #expect(error.range == 4..<11)
        #expect(queryError { _ = try root.check("a<k~^(a+)+$>") }?.kind == .regexLimit)
        #expect(queryError { _ = try root.findFirst("a<k~^(a+)+$>") }?.kind == .regexLimit)
    }
}
