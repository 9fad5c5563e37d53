// Regular expressions in queries: their limits (3.8), and use from many threads.

import Testing

@testable import StanzaQuery

@Suite struct RegexQueryTests {
    @Test func longValuesInQueries() throws {
        let value = String(repeating: "a", count: 4097)
        let root = try MutableElement("r", attributes: ["k": value, "j": "1"])
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

    // MARK: Threads

    @Test func manyThreadsAtOnce() async throws {
        let query = try Query("a<k~^[a-z]+([0-9]+)$>@k")
        let runaway = try Query("a<k~^(x+)+$>")
        let root = try element(
            "<r>" + (0..<50).map { "<a k='v\($0)'/><a k='V\($0)'/>" }.joined()
                + "<a k='\(String(repeating: "x", count: 60))!'/></r>")
        let expected = (0..<50).map { "v\($0)" }
        let failures = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var failures = 0
                    for round in 0..<60 {
                        let found = (try? root.find(query).compactMap(\.string)) ?? []
                        if found != expected { failures += 1 }
                        if (task + round) % 20 == 0 {
                            do {
                                _ = try root.find(runaway)
                                failures += 1
                            } catch {
                                if (error as? QueryError)?.kind != .regexLimit { failures += 1 }
                            }
                        }
                    }
                    return failures
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
    }
}
