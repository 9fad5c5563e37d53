// The examples of query sets in the README, the article and the doc comments, word for word: .ci/check compares them.

import QueryTools
import StanzaQuery
import Testing

@Suite struct QuerySetExampleTests {
    @Test func readme() throws {
        let stanza = try element("<message to='juliet@example.com' type='error'><body>hi</body></message>")
        var routes = try QuerySet(["/<type=error>", "/{jabber:client}iq<type=get>/{urn:xmpp:ping}ping"])
        let mine = try routes.insert("/{jabber:client}message<to=%@>/body#", "juliet@example.com", priority: 1)
        let ids = routes.matches(stanza)
        let body = try routes[mine].flatMap { try stanza.findFirst($0.query)?.string }
        #expect(ids.map(\.index) == [2, 0])
        #expect(body == "hi")
    }

    // MARK: The article

    @Test func registerAskFetch() throws {
        let stanza = try element("<message><body>hallo</body><body xml:lang='en'>hello</body></message>")
        var routes = QuerySet()
        let pings = try routes.insert("/{jabber:client}iq<type=get>/{urn:xmpp:ping}ping")
        let messages = try routes.insert("/{jabber:client}message/body#")
        let mentions = try routes.insert("/{jabber:client}message/body<xml:lang=%@>#", "en", priority: 1)

        let all = Array(routes.matches(stanza))
        let first = try routes.bestMatch(in: stanza)
        let query = first.flatMap { routes[$0]?.query }
        let text = try query.flatMap { try stanza.findFirst($0)?.string }
        #expect(all == [mentions, messages] && !all.contains(pings))
        #expect(first == mentions)
        #expect(text == "hello")
    }

    @Test func changeASet() throws {
        var routes = try QuerySet(["body#"])
        let result = try element("<iq type='result' id='request-1'/>")
        let answer = try routes.insert("/{jabber:client}iq<id=%@>", "request-1")
        let isAnswered = routes.matches(result).contains(answer)
        routes.remove(answer)
        #expect(isAnswered)
        #expect(routes.count == 1)
    }

    @Test func lookInside() throws {
        let set = try QuerySet(["/<type=error>", "items/item", "items/item<id=a>@id", "/@id", "/<id~^r\\d+$>"])
        print(set.explanation)
        #expect(
            set.explanation == """
                5 queries
                + 4  /<id~^r\\d+$>
                filter type = "error"
                    0  /<type=error>
                child items
                    child item
                        1  items/item
                        filter id = "a"
                            yield @id
                                2  items/item<id=a>@id
                yield @id
                    3  /@id
                tried on every element
                    4  /<id~^r\\d+$>
                """)
    }

    // MARK: Doc comments

    @Test func querySet() throws {
        let stanza = try element("<message><body>hi</body></message>")
        let routes = try QuerySet(["/<type=error>", "body#", "{urn:xmpp:ping}ping"])
        let indexes = routes.matches(stanza).map(\.index)
        if let best = try routes.bestMatch(in: stanza), let query = routes[best]?.query {
            print(try stanza.findFirst(query)?.string ?? "no text")
        }
        let body = try #require(routes[routes.ids[1]]?.query)
        #expect(indexes == [1])
        #expect(try stanza.findFirst(body)?.string == "hi")
    }

    @Test func insert() throws {
        var routes = QuerySet()
        let node = "n"
        let id = try routes.insert("{http://jabber.org/protocol/pubsub}pubsub/items<node=%@>", node, priority: 1)
        #expect(routes[id]?.arguments == [.text("n")])
    }
}
