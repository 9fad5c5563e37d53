// The examples in the doc comments of Query, QueryableElement, QueryArgument, QueryError and the typed results, run.

import Foundation
import StanzaQuery
import Testing

@Suite struct DocumentationTests {
    @Test func query() throws {
        let iq = try element("<iq><fin xmlns='urn:xmpp:mam:2' complete='true'/></iq>")
        let fin = try Query("{urn:xmpp:mam:2}fin@complete|bool")
        #expect(try iq.findFirst(fin)?.bool == true)
    }

    @Test func queryableElement() throws {
        let stanza = try element(
            """
            <message type='error'><delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/>\
            <query xmlns='http://jabber.org/protocol/disco#info'><feature var='a'/><feature var='b'/></query>\
            <items node='n'><item id='1'/></items></message>
            """)
        let node = "n"
        #expect(try stanza.check("/<type=error>"))
        #expect(
            try stanza.findFirst("{urn:xmpp:delay}delay@stamp|datetime")?.date
                == Date(timeIntervalSince1970: 1_031_699_305))
        let features = try stanza.find("{http://jabber.org/protocol/disco#info}query/feature@var").compactMap(\.string)
        #expect(features == ["a", "b"])
        #expect(try stanza.findFirst("items<node=%@>/item@id", node, as: String.self) == "1")
    }

    @Test func queryArgument() throws {
        let element = try element("<pubsub><items node='n'><item id='17'/></items></pubsub>")
        let node = "n"
        #expect(try element.findFirst("items<node=%@>/item<id=%u>", node, 17)?.element?.name == "item")
        struct Address { let description = "n" }
        let value = QueryArgumentValue.text(String(describing: Address().description))
        #expect(try element.check("items<node=%@>", value))
    }

    @Test func queryError() throws {
        let error = StanzaQueryTests.queryError { _ = try Query("{urn:xmpp:mam:2}fin@count|integer") }
        #expect(
            error?.description == """
                error: unknown conversion 'integer'
                  {urn:xmpp:mam:2}fin@count|integer
                                            ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
                  did you mean '|int'?
                """)
    }

    @Test func listing() throws {
        #expect(
            try Query("body#").listing == """
                0  0-4  children.named.inherited  body  ( p -- p c )  children of that name in its namespace
                1  4-5  yield.text                      ( c -- c )    the element's own text
                """)
    }

    /// The example of rule 3.5.
    @Test func ascending() throws {
        let iq = try element(
            "<iq type='set'><pubsub xmlns='http://jabber.org/protocol/pubsub'><items/></pubsub></iq>")
        let query = "/{jabber:client}iq/{http://jabber.org/protocol/pubsub}pubsub/items/../../../@type"
        #expect(try iq.findFirst(query)?.string == "set")
    }
}
