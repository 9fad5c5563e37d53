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

    @Test func compiledQueriesOnSharedTrees() throws {
        let trees = try (0..<3).map { number in
            try Element(parsing: Self.stanza.replacing("id='1'", with: "id='\(number)'"), in: .clientStream)
        }
        let compiled = try Self.queries.map {
            try Query($0, options: $0.contains("x-1") ? .caseInsensitiveFilters : [])
        }
        let expected = compiled.map { query in trees.map { Self.outcome(query, on: $0) } }
        #expect(expected.joined().contains("regexLimit") && expected[0][0].contains("42"))
        let failures = onThreads(8) { thread in
            for round in 0..<40 {
                // Every thread begins elsewhere.
                for step in compiled.indices {
                    let query = (step + thread) % compiled.count
                    let tree = (round + thread) % trees.count
                    if Self.outcome(compiled[query], on: trees[tree]) != expected[query][tree] { return false }
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

    @Test func aSmallCacheThatIsAlwaysFull() throws {
        let cache = QueryCache(capacity: 8)
        let failures = onThreads(8) { thread in
            for number in 0..<400 {
                let source = "a\((number * 7 + thread) % 20)"
                guard let query = try? cache.query(source), query.source == source, cache.count <= 8 else {
                    return false
                }
            }
            return true
        }
        #expect(failures == 0)
    }

    /// Scratch memory is handed from match to match, and thrown away after a match that ran out of its limits.
    @Test func regularExpressionsAtTheSameMoment() throws {
        let long = String(repeating: "a", count: 40) + "b"
        let tree = try element("<m><a k='\(long)' id='1'/><a k='abc' id='2'/><a k='\u{E9}x' id='3'/></m>")
        let expected: [(query: String, outcome: String)] = try [
            "a<k~^(a+)+$>@id", "a<k~b.$>@id", "a<k~^(.)x$>@id", "a<k~^(?:(?=(\\w+))\\1)*b>@id",
        ].map { ($0, Self.outcome(try Query($0), on: tree)) }
        #expect(expected.map(\.outcome).contains("regexLimit"))
        let failures = onThreads(8) { thread in
            for round in 0..<30 {
                let (source, outcome) = expected[(round + thread) % expected.count]
                // Each time compiled again: PCRE2's compiler and its JIT run at the same moment as matches.
                guard let query = try? Query(source), Self.outcome(query, on: tree) == outcome else { return false }
            }
            return true
        }
        #expect(failures == 0)
    }

    /// Every thread has editable trees of its own, made from one that all share.
    @Test func editableTreesOfOneThreadEach() throws {
        let shared = try Element(stanza: Self.stanza)
        let query = try Query("{urn:q}query/item<id=%@>#|int")
        let failures = onThreads(8) { thread in
            for round in 0..<60 {
                let own = shared.thaw()
                guard let list = own.child("query", namespace: "urn:q") else { return false }
                let item = list.add(MutableElement("item", attributes: ["id": "n\(thread)"]))
                item.text = String(round)
                guard (try? own.findFirst(query, "n\(thread)"))??.int == round,
                    (try? own.freeze().findFirst(query, "n\(thread)"))??.int == round,
                    (try? shared.check(query, "n\(thread)")) == false
                else { return false }
            }
            return true
        }
        #expect(failures == 0)
    }

    /// Trees are read here that parsers deliver there, and while those go on: with the tables of names that both have.
    @Test func parsersAndQueriesOnDifferentThreads() throws {
        let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
        let (rounds, stanzasOfARound) = (40, 5)
        let round = Array(String(repeating: Self.stanza, count: stanzasOfARound).utf8)
        let query = try Query("{urn:q}query/item#|int")
        let readers = Threads()
        let failures = onThreads(8) { thread in
            var parser = XMLStreamParser(mode: .stream)
            parser.feed(header)
            for _ in 0..<rounds {
                var stanzas: [Element] = []
                var start = 0
                while start < round.count {
                    let end = min(start + 61 + thread, round.count)
                    parser.feed(round[start..<end])
                    while let event = try? parser.next() {
                        if case .element(let stanza, _) = event { stanzas.append(stanza) }
                    }
                    start = end
                }
                if stanzas.count != stanzasOfARound { return false }
                readers.begin { [stanzas] in
                    stanzas.allSatisfy { stanza in (try? stanza.findFirst(query)?.int) == 42 }
                }
            }
            return true
        }
        #expect(failures == 0)
        #expect(readers.failures() == 0)
    }
}
