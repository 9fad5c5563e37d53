// The XEPs' examples, in words of our own: each is read, and written again.

import Foundation
import Testing
import XMPPPayloads

@Suite struct XMPPPayloadExampleTests {
    private typealias Delay = XMPPPayloads.Delay

    /// Reads a payload from the first child element of a stanza, and requires that it is written as the same element.
    private func read<P: Payload & Equatable>(_ xml: String, as type: P.Type = P.self) throws -> P {
        let stanza = try Element(parsing: "<message xmlns='jabber:client'>\(xml)</message>")
        let payload = try #require(try stanza.first(type))
        #expect(try P(stanza.thaw().children[0]) == payload)
        let written = try Element(payload)
        #expect(try P(written) == payload)
        #expect(written == stanza.firstChild, "\(written)")
        return payload
    }

    @Test func delay() throws {
        let delay: Delay = try read(
            """
            <delay xmlns='urn:xmpp:delay' from='castle.example' stamp='2002-09-10T23:08:25.000Z'>stored offline</delay>
            """)
        #expect(delay.from == "castle.example" && delay.reason == "stored offline")
        #expect(delay.stamp == Date(timeIntervalSince1970: 1_031_699_305))
    }

    @Test func identifiers() throws {
        let id: StanzaIdentifier = try read("<stanza-id xmlns='urn:xmpp:sid:0' id='7f2a' by='coven@chat.example'/>")
        #expect(id == StanzaIdentifier(id: "7f2a", by: "coven@chat.example"))
        let origin: OriginID = try read("<origin-id xmlns='urn:xmpp:sid:0' id='a-1'/>")
        #expect(origin.id == "a-1")
        let error = try #require(throws: PayloadError.self) {
            try read("<stanza-id xmlns='urn:xmpp:sid:0' id='7f2a'/>", as: StanzaIdentifier.self)
        }
        #expect(error.path == "{urn:xmpp:sid:0}stanza-id@by")
    }

    private let forwarded = """
        <forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2010-07-10T23:08:25.000Z'/>\
        <message xmlns='jabber:client' from='romeo@montague.example/orchard' type='chat'><body>Call me but love</body>\
        </message></forwarded>
        """

    @Test func carbons() throws {
        let copy: CarbonCopy = try read("<sent xmlns='urn:xmpp:carbons:2'>\(forwarded)</sent>")
        let message = try ChatMessage(copy.forwarded.message)
        #expect(message.body == "Call me but love" && message.from == "romeo@montague.example/orchard")
        #expect(copy.forwarded.delay?.stamp == Date(timeIntervalSince1970: 1_278_803_305))
        let other: CarbonCopy = try read("<received xmlns='urn:xmpp:carbons:2'>\(forwarded)</received>")
        #expect(other == .received(ReceivedCopy(copy.forwarded)))
        let request: CarbonsRequest = try read("<enable xmlns='urn:xmpp:carbons:2'/>")
        #expect(request == .enable)
    }

    @Test func archives() throws {
        let query: ArchiveQuery = try read(
            """
            <query xmlns='urn:xmpp:mam:2' queryid='f27'><x xmlns='jabber:x:data' type='submit'>\
            <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:mam:2</value></field>\
            <field var='with'><value>juliet@capulet.example</value></field></x>\
            <set xmlns='http://jabber.org/protocol/rsm'><max>10</max><before/></set><flip-page/></query>
            """)
        #expect(query.filter?.with == "juliet@capulet.example" && query.isFlipped)
        #expect(query.page == ResultPage(max: 10, before: ""))
        let result: ArchiveResult = try read(
            "<result xmlns='urn:xmpp:mam:2' queryid='f27' id='28482'>\(forwarded)</result>")
        #expect(result.id == "28482" && result.queryID == "f27")
        let end: ArchiveEnd = try read(
            """
            <fin xmlns='urn:xmpp:mam:2' complete='true' stable='true'><set xmlns='http://jabber.org/protocol/rsm'>\
            <first index='0'>28482</first><last>09af3</last><count>20</count></set></fin>
            """)
        #expect(end.isComplete && end.page.first == FirstResult(id: "28482", index: 0) && end.page.count == 20)
    }

    @Test func requestForAnArchive() {
        var query = ArchiveQuery(id: "f27", page: ResultPage(max: 50))
        query.filter = ArchiveFilter(with: "juliet@capulet.example")
        #expect(query.page?.max == 50 && query.filter?.ids == nil)
    }

    @Test func discovery() throws {
        let iq = try Element(
            parsing: """
                <iq xmlns='jabber:client'><query xmlns='http://jabber.org/protocol/disco#info' node='n'>\
                <identity category='conference' type='text' name='Verona' xml:lang='en'/>\
                <feature var='urn:xmpp:mam:2'/><feature var='vcard-temp'/>\
                <x xmlns='jabber:x:data' type='result'><field var='FORM_TYPE' type='hidden'><value>urn:x</value></field></x>\
                </query></iq>
                """)
        let info = try iq.first(DiscoInfo.self)
        let hasArchive = info?.features.contains("urn:xmpp:mam:2") == true
        #expect(hasArchive && info?.features.count == 2 && info?.forms.first?.formType == "urn:x")
        #expect(
            info?.identities == [DiscoIdentity(category: "conference", type: "text", name: "Verona", language: "en")])
        #expect(try info.map { try Element($0) } == iq.firstChild)
        let items: DiscoItems = try read(
            "<query xmlns='http://jabber.org/protocol/disco#items'><item jid='a@b' node='n' name='A'/></query>")
        #expect(items.items == [DiscoItem("a@b", node: "n", name: "A")])
    }

    @Test func receiptsAndMarkers() throws {
        let message = try Element(
            parsing: """
                <message xmlns='jabber:client' from='a@b/c' to='d@e' id='m1' type='chat'><body>Hi</body>\
                <active xmlns='http://jabber.org/protocol/chatstates'/><request xmlns='urn:xmpp:receipts'/>\
                <markable xmlns='urn:xmpp:chat-markers:0'/></message>
                """)
        let chat = try ChatMessage(message)
        #expect(chat.wantsReceipt && chat.isMarkable && chat.state == .active && chat.receipt == nil)
        let receipt: Receipt = try read("<received xmlns='urn:xmpp:receipts' id='m1'/>")
        #expect(receipt.id == "m1")
        let request: ReceiptRequest = try read("<request xmlns='urn:xmpp:receipts'/>")
        #expect(request == ReceiptRequest())
        for (name, marker) in [
            ("received", ChatMarker.received(ReceivedMarker(id: "m1"))),
            ("displayed", .displayed(DisplayedMarker(id: "m1"))),
            ("acknowledged", .acknowledged(AcknowledgedMarker(id: "m1"))),
        ] {
            let found: ChatMarker = try read("<\(name) xmlns='urn:xmpp:chat-markers:0' id='m1'/>")
            #expect(found == marker && found.id == "m1")
        }
    }

    @Test func messages() throws {
        let stanza = try Element(
            parsing: """
                <message xmlns='jabber:client' from='a@b/c' type='surprise' xml:lang='en'><body>Hi</body>\
                <body xml:lang='de'>Hallo</body><thread>t</thread></message>
                """)
        var shown: [String] = []
        func show(_ body: String, _ from: JID?) { shown.append("\(from?.description ?? ""): \(body)") }
        let message = try ChatMessage(stanza)
        if let body = message.body { show(body, message.from) }
        #expect(shown == ["a@b/c: Hi"])
        #expect(message.type == .normal && message.thread == "t" && message.bodies["de"] == "Hallo")
    }

    @Test func queriesAndPayloads() throws {
        let message = try Element(
            stanza: """
                <message from='romeo@example.net' type='chat'>\
                <body>Art thou not Juliet?</body>\
                <delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/>\
                </message>
                """)
        let body = try message.findFirst("body#", as: String.self)
        let sender = try message.findFirst("/@from", as: String.self)
        let isChat = try message.check("/<type=chat>/body")
        let stamp = try message.findFirst("{urn:xmpp:delay}delay@stamp|datetime", as: Date.self)
        do {
            let chat = try ChatMessage(message)
            let (text, from, type, sent) = (chat.body, chat.from, chat.type, chat.delays.first?.stamp)
            #expect(text == body && from?.description == sender && (type == .chat) == isChat && sent == stamp)
        }
    }

    @Test func avatars() throws {
        let metadata: AvatarMetadata = try read(
            """
            <metadata xmlns='urn:xmpp:avatar:metadata'>\
            <info id='111f' type='image/png' bytes='12345' width='64' height='64'/><info id='222e' type='image/gif' bytes='23456' url='https://images.example/juliet.gif'/></metadata>
            """)
        #expect(metadata.images.map(\.bytes) == [12345, 23456] && metadata.images[0].width == 64)
        #expect(metadata.images[1].url?.host() == "images.example")
        let none: AvatarMetadata = try read("<metadata xmlns='urn:xmpp:avatar:metadata'/>")
        #expect(none.images == [])
    }

    @Test func encryption() throws {
        let element = try Element(
            parsing: """
                <bundle xmlns='urn:xmpp:omemo:2'><spk id='7'>AQID</spk><spks>BAUG</spks><ik>Bwg=</ik>\
                <prekeys><pk id='1'>CQ==</pk><pk id='2'>Cg==</pk></prekeys></bundle>
                """)
        let bundle = try OMEMOBundle(element)
        let preKey = bundle.preKeys.randomElement()
        #expect(preKey != nil && bundle.preKeys.map(\.id) == [1, 2] && bundle.signedPreKey.key == Data([1, 2, 3]))
        #expect(bundle.signature == Data([4, 5, 6]) && bundle.identityKey == Data([7, 8]))
        #expect(try Element(bundle) == element)
    }

    @Test func publishedItems() throws {
        let message = try Element(
            parsing: """
                <message xmlns='jabber:client'><event xmlns='http://jabber.org/protocol/pubsub#event'><items node='n'>\
                <item id='current' publisher='a@b'><devices xmlns='urn:xmpp:omemo:2'><device id='12345'/>\
                <device id='4223' label='Gajim'/></devices></item><retract id='old'/></items></event></message>
                """)
        let items = try message.first(PubSubEvent.self)?.items?.items ?? []
        let devices = try items.first?.payload.map { try OMEMODevices($0) }
        #expect(devices?.devices == [OMEMODevice(id: 12345), OMEMODevice(id: 4223, label: "Gajim")])
        #expect(items[0].publisher == "a@b")
        let event = try #require(try message.first(PubSubEvent.self))
        #expect(event.items?.retracted == ["old"] && event.items?.node == "n")
        #expect(try Element(event) == message.firstChild)
        let request: PubSubItemsRequest = try read(
            """
            <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='n' max_items='2'><item id='a'/></items></pubsub>
            """)
        #expect(request.items == PubSubItems(node: "n", max: 2, items: [PubSubItem(id: "a")]))
    }

    @Test func rooms() throws {
        let presence = MutableElement(
            "presence", namespace: "jabber:client", attributes: ["to": "coven@chat.example/hag"])
        try presence.add(RoomJoin(history: RoomHistory(maxStanzas: 20)))
        #expect(try presence.findFirst("{http://jabber.org/protocol/muc}x/history@maxstanzas|int")?.int == 20)
        let status: RoomStatus = try read(
            """
            <x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='member' role='participant' jid='a@b/c'>\
            <reason>Welcome</reason></item><status code='110'/><status code='210'/></x>
            """)
        #expect(status.codes.contains(RoomStatus.ownPresence) && status.item?.reason == "Welcome")
        #expect(status.item?.affiliation == .member && status.item?.role == .participant)
        let error = try #require(throws: PayloadError.self) {
            try read(
                "<x xmlns='http://jabber.org/protocol/muc#user'><item role='king'/></x>", as: RoomStatus.self)
        }
        #expect(error.description.hasSuffix("expected 'moderator', 'none', 'participant', 'visitor'"))
    }
}
