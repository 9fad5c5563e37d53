// Queries as literals with interpolations: their results, their errors, and that they are compiled once.

import QuerySyntax
import QueryTools
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct QueryLiteralTests {
    private let event = """
        <message xmlns='jabber:client'><event xmlns='http://jabber.org/protocol/pubsub#event'>\
        <items node='urn:xmpp:avatar:metadata'><item id='1'/></items><items node='b'><item id='2'/></items></event></message>
        """

    @Test func interpolatedLiteral() throws {
        let message = try element(event)
        let node = "urn:xmpp:avatar:metadata"
        let items = try Query("{http://jabber.org/protocol/pubsub#event}event/items<node=\(node)>/item@id")
        let id = try message.findFirst(items)?.string
        #expect(id == "1")
        #expect(items.source == "{http://jabber.org/protocol/pubsub#event}event/items<node=\\(…)>/item@id")
    }

    @Test func valuesInEveryPlace() throws {
        let message = try element(event)
        let (namespace, node, attribute) = ("http://jabber.org/protocol/pubsub#event", "b", "id")
        let found = try message.findFirst("{\(namespace)}event/items<node=\(node)>/item@\(attribute)")?.string
        #expect(found == "2")
    }

    @Test func everyTypeOfArgument() throws {
        let root = try element("<r a='-5' b='18446744073709551615' c='2.5' d='true' e='x' f='é'/>")
        #expect(
            try root.check(
                Query("/<a=\(-5)><b=\(UInt64.max)><c=\(2.5)><d=\(true)><e=\(Character("x"))><f=\("\u{E9}")>")))
        #expect(try !root.check(Query("/<f=\("e\u{301}")>")))
        #expect(try root.check(Query("/<c=\(2).\(5)>")))
    }

    @Test func namesOfEveryKind() throws {
        let root = try element("<r xmlns='u' id='7'><a xmlns='v' p:k='1' xmlns:p='w' xml:lang='de'/><b k='2'/></r>")
        let (namespace, name, local) = ("v", "a", "k")
        #expect(try root.check(Query("{\(namespace)}\(name)")))
        #expect(try root.findFirst(Query("\("b")@\(local)|int"))?.int == 2)
        #expect(try root.findFirst(Query("{*}a@{\("w")}\(local)"))?.string == "1")
        #expect(try root.findFirst(Query("{*}a@\("p:k")"))?.string == "1")
        #expect(try root.findFirst(Query("{*}a@\("xml:lang")"))?.string == "de")
        #expect(try root.findFirst(Query("{*}a@\("xmlns")"))?.string == "v")
        #expect(try root.findFirst(Query("{*}!\("a")$"))?.string == "b")
        // An empty namespace is none.
        let plain = try element("<r xmlns=''><a k='1'/></r>")
        #expect(try plain.findFirst(Query("{\("")}a@{\("")}k"))?.string == "1")
    }

    @Test func mistakesAreThrown() {
        let value = "v"
        let misplaced = queryError { _ = try Query("a<b~\(value)>") }
        #expect(misplaced?.first.problem == .misplacedSlot && misplaced?.range == 4..<10)
        let mixed = queryError { _ = try Query("a<b=%d><c=\(value)>") }
        #expect(mixed?.first.problem == .specifierAmongSlots)
        let percent = queryError { _ = try Query("a<b=100%\(value)>") }
        #expect(percent?.first.problem == .invalidSpecifier(found: "\\") && percent?.range == 8..<14)
        #expect(percent?.first.repair == "<b=100%%\\(…)>")
        let unknown = queryError { _ = try Query("a<b=\(value)>@c|integer") }
        #expect(unknown?.first.repair == "|int")
        let regex = queryError { _ = try Query("a<b=\(value)><c~(>") }
        #expect(regex?.kind == .invalidRegex)
    }

    @Test func whatASpecifierIsStaysOneWithoutInterpolations() throws {
        let query = try Query("a<b=%@>")
        #expect(query.argumentCount == 1)
    }

    /// Runs alone with its own options, so that no other test's literals are counted.
    @Test func oneProgramForAllValues() throws {
        let options: QueryOptions = [.strictConversions, .caseInsensitiveFilters]
        func template(_ value: String) throws -> (query: Program, bound: Query<QueryValue>) {
            let literal: QueryLiteral = "one/program<for=\(value)>"
            let parts = try #require(literal.parts)
            let template = try compiledTemplate(parts.text, options: options)
            return (template.binding(parts.values).query, try Query(literal, options: options))
        }
        let (first, second) = (try template("a"), try template("b"))
        #expect(first.query === second.query)
        #expect(first.bound.values == [.text("a")] && second.bound.values == [.text("b")])
        #expect(QueryCache.shared.count <= QueryCache.capacity)
    }

    @Test func listingsAndSetsTakeThem() throws {
        let query = try Query("/{jabber:client}\("message")<type=\("chat")>@\("id")")
        #expect(query.listing.split(separator: "\n").count == query.program.stepCount)
        var set = QuerySet()
        let id = try set.insert(query)
        let message = try element("<message xmlns='jabber:client' type='chat' id='1'/>")
        #expect(try set.bestMatch(in: message) == id)
        #expect(try set.bestMatch(in: element("<message xmlns='jabber:client' type='error' id='1'/>")) == nil)
        #expect(try !query.trace(on: message).steps.isEmpty)
        #expect(!set.explanation.isEmpty)
        for query in [query, try Query("a<xmlns=\("u")>")] {
            var statistics = QueryStatistics(of: query)
            try statistics.evaluate(on: message)
            #expect(statistics.steps.count == query.program.stepCount)
        }
    }
}
