// The features of a set of queries: registering, order, IDs, results, mistakes.

import Testing

@testable import StanzaQuery

@Suite struct QuerySetTests {
    private let stanza = """
        <iq type='get' id='7'><query xmlns='urn:q' node='n'><item id='1'>one</item><item id='2'/></query><body>hi</body></iq>
        """

    private func indexes(_ set: QuerySet, _ xml: String) throws -> [Int] { try set.matches(element(xml)).map(\.index) }

    // MARK: Asking

    @Test func matchesAreIndexesOfTheArray() throws {
        let set = try QuerySet(["/<type=get>", "body#", "{urn:q}query/item", "missing", "", "/<type=set>"])
        #expect(try indexes(set, stanza) == [0, 1, 2, 4])
        #expect(try indexes(set, "<iq type='set'/>") == [4, 5])
        #expect(set.count == 6 && !set.isEmpty)
        #expect(set.ids.map(\.index) == [0, 1, 2, 3, 4, 5])
    }

    @Test func anEmptySetMatchesNothing() throws {
        let element = try element(stanza)
        #expect(QuerySet().matches(element).isEmpty)
        #expect(try QuerySet().bestMatch(in: element) == nil)
        #expect(QuerySet().isEmpty && QuerySet().ids.isEmpty)
    }

    @Test func setsOfTypedQueries() throws {
        let elements = try QuerySet([
            Query("body", as: Element.self), Query("missing", as: Element.self), Query("", as: Element.self),
        ])
        #expect(try indexes(elements, stanza) == [0, 2])
        let texts = try [Query("body#", as: String.self), Query("/@id", as: String.self)]
        #expect(try indexes(QuerySet(texts), stanza) == [0, 1])
        // A Boolean query is a test of existence only as one of any kind.
        var set = QuerySet()
        try set.insert(Query(Query("/@done|bool", as: Bool.self)))
        #expect(try indexes(set, "<a done='false'/>") == [0])
        let failure = #expect(throws: QuerySetError.self) { try QuerySet([Query("a<b=%@>", as: Element.self)]) }
        #expect(failure?.failures.map(\.error.kind) == [.arguments])
    }

    @Test func editableElements() throws {
        let set = try QuerySet(["body", "/<id=7>", "body/.."])
        let thawed = try element(stanza).thaw()
        #expect(set.matches(thawed).map(\.index) == [0, 1, 2])
        thawed["id"] = "8"
        #expect(set.matches(thawed).map(\.index) == [0, 2])
        #expect(try set.bestMatch(in: thawed)?.index == 0)
    }

    // MARK: Order

    @Test func higherPriorityComesFirst() throws {
        var set = QuerySet()
        let low = try set.insert("body", priority: -1)
        let first = try set.insert("body")
        let second = try set.insert("body")
        let high = try set.insert("body", priority: 5)
        let element = try element(stanza)
        #expect(Array(set.matches(element)) == [high, first, second, low])
        #expect(set.ids == [high, first, second, low])
        #expect(try set.bestMatch(in: element) == high)
        let isChanged = set.setPriority(9, of: low)
        #expect(isChanged && set[low]?.priority == 9)
        #expect(Array(set.matches(element)) == [low, high, first, second])
        set.remove(low)
        #expect(try set.bestMatch(in: element) == high)
        let isThere = set.setPriority(1, of: low)
        #expect(!isThere)
    }

    /// Few and many matches, in sets whose places are in order or not, and with failures among them.
    @Test(arguments: [20, 21, 22, 70, 4_100]) func manyMatchesAreInOrder(_ count: Int) throws {
        let element = try element("<r><a k='\(String(repeating: "a", count: 5000))'/><b/></r>")
        var set = QuerySet()
        for number in 0..<count { try set.insert(["b", "a", "a<k~^a>", "c"][number % 4]) }
        func expect(failures: [QuerySet.ID], sourceLocation: SourceLocation = #_sourceLocation) throws {
            let matching = set.ids.filter { id in (try? element.check(set[id]?.query ?? Query("c"))) == true }
            #expect(Array(set.matches(element)) == matching, sourceLocation: sourceLocation)
            #expect(set.matches(element).failures.map(\.id) == failures, sourceLocation: sourceLocation)
            if failures.isEmpty {
                #expect(try set.bestMatch(in: element) == matching.first, sourceLocation: sourceLocation)
            }
        }
        try expect(failures: [])
        for id in set.ids.prefix(3) { set.remove(id) }
        try expect(failures: [])
        let reused = try (0..<3).map { try set.insert(["a", "b", "*"][$0], priority: $0 - 1) }
        try expect(failures: [])
        #expect(try set.bestMatch(in: element) == reused[2])
        let failing = try set.insert("a<k~b>", priority: 2)
        try expect(failures: [failing])
        #expect(queryError { _ = try set.bestMatch(in: element) }?.kind == .regexLimit)
        set.setPriority(-2, of: failing)
        try expect(failures: [failing])
        #expect(try set.bestMatch(in: element) == reused[2])
    }

    // MARK: Editing

    @Test func idsStayAndAreNotUsedAgain() throws {
        var set = try QuerySet(["a", "b", "c"])
        let ids = set.ids
        let removed = set.remove(ids[1])
        #expect(removed?.query.source == "b")
        #expect(set[ids[1]] == nil && set[ids[2]]?.query.source == "c")
        let new = try set.insert("d")
        #expect(new.index == ids[1].index && new != ids[1])
        #expect(set[ids[1]] == nil && set[new]?.query.source == "d")
        let again = set.remove(ids[1])
        #expect(again == nil && set.count == 3)
    }

    /// A router adds a query for each request, and removes it with the answer.
    @Test func comingAndGoingKeepsTheStorageSmall() throws {
        var set = try QuerySet(["body#"])
        for number in 0..<5000 {
            let namespace = "urn:\(number)"
            let id = try set.insert("/{jabber:client}iq<id=request-\(number)>/{\(namespace)}query<a~^[x-z]>/b#|int")
            let other = try set.insert("*/../@id")
            set.remove(id)
            set.remove(other)
        }
        #expect(set.storage.trie.entries.end <= 3)
        #expect(set.storage.trie.states.end <= 20 && set.storage.trie.states.count == 3)
        #expect(set.storage.trie.edges.count == 2 && set.storage.trie.attributeTests.count == 0)
        #expect(try indexes(set, stanza) == [0])
    }

    // MARK: Arguments

    @Test func argumentsBelongToTheQuery() throws {
        var set = QuerySet()
        let id = try set.insert("{urn:q}query<node=%@>/item<id=%d>", "n", 2)
        #expect(set[id]?.arguments == [.text("n"), .integer(2)])
        let element = try element(stanza)
        #expect(set.matches(element).count == 1)
        let query = try #require(set[id]?.query)
        #expect(try element.find(query).count == 1)
        #expect(query.values == [.text("n"), .integer(2)] && query.argumentCount == 0)
        let isBound = try set.bind("n", 3, to: id)
        #expect(set[id]?.query.values == [.text("n"), .integer(3)])
        #expect(isBound && set.matches(element).isEmpty && set[id]?.arguments == [.text("n"), .integer(3)])
        try set.bind("n", 1, to: id)
        #expect(Array(set.matches(element)) == [id])
    }

    @Test func argumentsThatDoNotFit() throws {
        var set = QuerySet()
        let missing = queryError { try set.insert("a<b=%d>") }
        #expect(missing?.kind == .arguments && missing?.range == 4..<6)
        #expect(queryError { try set.insert("a<b=%d>", "x") }?.kind == .arguments)
        #expect(queryError { try set.insert("a", 1) }?.range == 0..<1)
        #expect(set.isEmpty)
        let id = try set.insert("a<b=%d>", 1)
        #expect(queryError { try set.bind("x", to: id) }?.kind == .arguments)
        #expect(set[id]?.arguments == [.integer(1)])
        set.remove(id)
        let isBound = try set.bind(2, to: id)
        #expect(!isBound)
    }

    // MARK: Mistakes

    @Test func aWrongQueryOfMany() throws {
        let error = #expect(throws: QuerySetError.self) {
            try QuerySet(["a", "b@c|integer", "d", "e<f~(>", "g<h=%@>"])
        }
        #expect(error?.failures.map(\.index) == [1, 3])
        #expect(error?.failures.map(\.error.kind) == [.unknownConversion, .invalidRegex])
        #expect(error?.first.error.range == 4..<11)
        #expect(error?.description.hasPrefix("query 1: error: unknown conversion 'integer'\n  b@c|integer\n") == true)
        #expect(error?.description.contains("\nquery 3: error: ") == true)
        let argument = #expect(throws: QuerySetError.self) { try QuerySet(["a", "g<h=%@>"]) }
        #expect(argument?.failures.map(\.index) == [1] && argument?.first.error.kind == .arguments)
    }

    // MARK: Regular expressions at their limits

    private var long: String { String(repeating: "a", count: 5000) }

    @Test func aFaultHasTheRangeOfItsQuery() throws {
        let set = try QuerySet(["a<xmlns=u><k~b>", "a<xmlns~^u$><k~b>"])
        let matches = set.matches(try element("<r xmlns='u'><a k='\(long)'/></r>"))
        #expect(matches.failures.map(\.error.range) == [13..<14, 15..<16])
    }

    @Test func firstDoesNotPassOverAFault() throws {
        let element = try element("<r><a k='\(long)'/><b/></r>")
        #expect(queryError { _ = try QuerySet(["a<k~b>", "b"]).bestMatch(in: element) }?.kind == .regexLimit)
        #expect(try QuerySet(["b", "a<k~b>"]).bestMatch(in: element)?.index == 0)
        #expect(queryError { _ = try QuerySet(["a<k~b>"]).bestMatch(in: element) }?.range == 4..<5)
    }

    /// Making machine code of a pattern takes longer than the rest of compiling, and a stanza needs few of many
    /// queries.
    @Test func machineCodeIsMadeWhenItIsFirstUsed() throws {
        // With these options, no other test uses the same queries.
        let options: QueryOptions = [.strictConversions, .caseInsensitiveFilters]
        var set = try QuerySet(["a<k~x.y>", "{urn:q}b<k~x.y>", "a<k~u.v>/c", "d<l~w.>/../e"], options: options)
        let id = try set.insert("a<m=%@><k~^.z>", "n", options: options)
        func sizes() throws -> [Int] {
            try set.ids.map { id in
                try #require(set[id]).program.parts.constants.patterns.reduce(0) { $0 + $1.regex.machineCodeSize }
            }
        }
        #expect(try sizes() == [0, 0, 0, 0, 0])
        #expect(try indexes(set, "<r><a l='x-y'/><d/><e/></r>") == [])
        #expect(try sizes() == [0, 0, 0, 0, 0])
        #expect(try indexes(set, "<r><a k='x-y'/></r>") == [0])
        #expect(try sizes().map { $0 > 0 } == [true, false, true, false, false])
        #expect(try indexes(set, "<r><a k='-z' m='n'/></r>") == [id.index])
        #expect(try sizes().map { $0 > 0 } == [true, false, true, false, true])
    }
}
