// Many threads share the sharable values at once, and each must get the same results as a single thread. The thread
// sanitizer (.ci/sanitize thread core) checks their accesses.

import TestSupport
import Testing

@testable import StanzaQuery

@Suite(.serialized) struct ThreadSafetyTests {
    private static let stanza = """
        <iq xmlns:p='urn:p' type='result' id='1'><query xmlns='urn:q' node='a.b'><item p:k='1' id='X-1'>42</item>\
        <item id='x-2' stamp='2002-09-10T23:08:25Z'>SGVsbG8=</item><item id='ab' v='aaaaaaaaaaaaaaaaaaaaaaaaaaaaab'/></query>\
        <x xmlns='jabber:x:data' type='form'><field var='FORM_TYPE'><value>urn:f</value></field>\
        <field var='one' label='One'><value>true</value></field></x></iq>
        """

    private static let queries = [
        "{urn:q}query/item#", "{urn:q}query/item<id~^[a-z]-[0-9]$>@id", "{urn:q}query/item<id=x-1>@id",
        "{urn:q}query/item@stamp|datetime", "{urn:q}query/item#|base64", "{urn:q}query/item#|int",
        "{urn:q}query/item@@",
        "{urn:q}query/item/../../@type", "\\\\", "\\{urn:f}form@one\\|bool", "\\&one\\",
        "{urn:q}query/*<p:k=1>#|uuidcast",
        "{urn:q}query/item<v~^(a+)+$>@id", "{urn:q}query/item<id~(a|b)$>", "*$", "",
    ]

    /// The outcome of a query, as text that threads can compare and send: its results, or the kind of error.
    private static func outcome(_ query: Query<QueryValue>, on element: some QueryableElement) -> String {
        do {
            let results = try element.find(query)
            let isFirst = try element.findFirst(query).map { String(describing: $0) }
            guard isFirst == results.first.map({ String(describing: $0) }) else { return "findFirst differs" }
            guard try element.check(query) != results.isEmpty else { return "check differs" }
            return results.map { text(of: $0) }.joined(separator: "; ")
        } catch {
            return error.kind.rawValue
        }
    }

    private static func text<Node: QueryableElement>(of value: QueryResult<Node>) -> String {
        if case .element(let element) = value { return element.xmlString() }
        if case .form = value { return "form" }
        return String(describing: value)
    }

    /// All threads share compiled queries, and compile others in between. Matches hand on scratch memory.
    @Test func compiledQueriesOnSharedTrees() throws {
        let trees = try (0..<3).map { number in
            try Element(parsing: Self.stanza.replacing("id='1'", with: "id='\(number)'"), in: .clientStream)
        }
        let options = Self.queries.map { $0.contains("x-1") ? QueryOptions.caseInsensitiveFilters : [] }
        let compiled = try zip(Self.queries, options).map { try Query($0, options: $1) }
        let expected = compiled.map { query in trees.map { Self.outcome(query, on: $0) } }
        #expect(expected.joined().contains("regexLimit") && expected[0][0].contains("42"))
        let failures = onThreads(8) { thread in
            for round in 0..<40 {
                // Every thread begins elsewhere.
                for step in compiled.indices {
                    let query = (step + thread) % compiled.count
                    let tree = (round + thread) % trees.count
                    let isNew = round % 4 == 0
                    guard
                        let used = isNew
                            ? try? Query(Program.compile(Self.queries[query], options[query])) : compiled[query],
                        Self.outcome(used, on: trees[tree]) == expected[query][tree]
                    else { return false }
                }
            }
            return true
        }
        #expect(failures == 0)
    }

    /// More queries than the shared cache keeps, with literals in between.
    @Test func theSharedCache() throws {
        let tree = try element("<m><a k='7' id='1'/><a k='8' id='2'/></m>")
        let failures = onThreads(8) { thread in
            for number in 0..<600 {
                // Half of the queries are the same on all threads.
                let value = number % 2 == 0 ? number : number * 8 + thread
                let isFound = try? tree.check(Query("a<k=\(value)>" as String))
                if isFound != (value == 7 || value == 8) { return false }
                if (try? tree.findFirst("a<k=8>@id"))??.string != "2" { return false }
                if (try? tree.find("a@id|int"))?.compactMap(\.int) != [1, 2] { return false }
                if (try? tree.check("a<k=%u>", number)) != (number == 7 || number == 8) { return false }
                if (try? tree.check(Query("a<k~(>" as String))) != nil { return false }
            }
            return true
        }
        #expect(failures == 0)
    }

    /// All threads evaluate one set, and edit copies of it in between. The thread that first needs a regular expression
    /// compiles it further.
    @Test func oneSetAndCopiesOfIt() throws {
        let trees = try (0..<3).map { number in
            try Element(parsing: Self.stanza.replacing("id='1'", with: "id='\(number)'"), in: .clientStream)
        }
        // The options give the set its own queries, so that the threads begin without machine code.
        let texts = Self.queries + ["/<id=0>", "/<id=1>", "/<id=2>", "{urn:q}missing"]
        let set = try QuerySet(texts.map { try Query($0, options: .strictConversions) })
        let one = try QuerySet(texts.map { try Query($0) })
        let expected = trees.map { Self.outcome(one, on: $0) }
        #expect(Set(expected).count == trees.count && expected[0].contains("regexLimit"))
        let failures = onThreads(8) { thread in
            for round in 0..<12 {
                let tree = (round + thread) % trees.count
                if Self.outcome(set, on: trees[tree]) != expected[tree] { return false }
                var copy = set
                guard let id = try? copy.insert("{urn:q}query<node=%@>", "a.b", priority: 1),
                    (try? copy.bestMatch(in: trees[tree])) == id, copy.remove(copy.ids[1]) != nil,
                    copy.matches(trees[tree].thaw()).first == id, set[id] == nil
                else { return false }
            }
            return true
        }
        #expect(failures == 0)
    }

    /// The outcome of a set: the indexes of the matches and of the failures, and the first query.
    private static func outcome(_ set: QuerySet, on element: Element) -> String {
        let matches = set.matches(element)
        let first = Result { try set.bestMatch(in: element) }
        let failures = matches.failures.map { "\($0.id.index) \($0.error.kind.rawValue)" }
        return "\(matches.map(\.index)) \(failures) \((try? first.get())?.index ?? -1)"
    }
}
