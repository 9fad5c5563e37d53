// The recipes of the article Recipes, word for word, with a server in memory.

import Foundation
import GRDB
import StanzaQueryMacros
import TestSupport
import Testing
import XMPPPayloads
import XMPPSession

@Payload("{eu.siacs.conversations.axolotl}bundle")
struct KeyBundle {
    @Child("identityKey") var identityKey: Data
    @Child(in: "prekeys") var preKeys: [PreKey] = []
}

@Payload("{eu.siacs.conversations.axolotl}preKeyPublic")
struct PreKey {
    @Attribute("preKeyId") var id: Int
    @Text var key: Data
}

@Payload("{urn:xmpp:http:upload:0}request")
struct UploadRequest {
    @Attribute var filename: String
    @Attribute var size: Int
}

@Payload("{urn:xmpp:http:upload:0}slot")
struct UploadSlot {
    @Child var put: UploadTarget
    @Child("get", attribute: "url") var get: URL
}

@Payload("{urn:xmpp:http:upload:0}put")
struct UploadTarget {
    @Attribute var url: URL
    @Child("header") var headers: [Element] = []
}

@Payload("{urn:xmpp:reply:0}reply")
struct ReplyReference {
    @Attribute var to: JID
    @Attribute var id: String
}

@Suite(.fewAtOnce) struct RecipeTests {
    private let server = FakeServer()

    private static func answer(_ iq: Element, _ content: String) -> String {
        "<iq type='result' id='\(iq["id"] ?? "")' from='\(iq["to"] ?? "juliet@example.org")'>\(content)</iq>"
    }

    /// A session with the table of the app, and the bodies that it has stored.
    private func home() async throws -> (home: Household, bodies: @Sendable () async throws -> [String]) {
        let home = try await Household(handlers: [])
        try await home.database.write { try $0.db.execute(sql: "CREATE TABLE inbox (body TEXT)") }
        let database = home.database
        return (home, { try await database.read { try String.fetchAll($0.db, sql: "SELECT body FROM inbox") } })
    }

    private static func store(_ message: Element, _ work: StanzaWork) throws {
        let body = message.child("body")?.text
        try work.changes.add { try $0.db.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [body]) }
    }

    /// Stores a message of the archive with its identifier and its time.
    private static func storeArchived(_ message: Element, _ id: String, _ sent: Date?, _ work: StanzaWork) throws {
        let row = "\(id) \(sent?.timeIntervalSince1970 ?? 0) \(message.child("body")?.text ?? "")"
        try work.changes.add { try $0.db.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [row]) }
    }

    @Test(arguments: [false, true]) func archive(hasMacros: Bool) async throws {
        let (home, bodies) = try await home()
        let (session, store) = (home.session, Self.storeArchived)
        server.answer { iq in
            let after = iq.firstChild?.firstChild?.child("after")?.text ?? "m0"
            if after == "expired" {
                let reason = "<item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
                let head = "<iq type='error' id='\(iq["id"] ?? "")' from='juliet@example.org'>"
                return ["\(head)<error type='cancel'>\(reason)</error></iq>"]
            }
            let number = (Int(after.dropFirst()) ?? 0) + 1
            let id = "m\(number)"
            let message =
                "<message from='juliet@example.org'><result xmlns='urn:xmpp:mam:2' id='\(id)'><forwarded xmlns='urn:xmpp:forward:0'>"
                + "<delay xmlns='urn:xmpp:delay' stamp='1970-01-01T00:00:0\(number)Z'/>"
                + "<message xmlns='jabber:client'><body>hi</body></message></forwarded></result></message>"
            let fin =
                "<fin xmlns='urn:xmpp:mam:2' complete='\(id == "m3")'><set xmlns='http://jabber.org/protocol/rsm'>"
                + "<last>\(id)</last></set></fin>"
            return [message, Self.answer(iq, fin)]
        }
        var last: String? = "expired"

        if hasMacros {
            let account = session.account
            try await session.on(ArchiveResult.self) { result, stanza, work in
                guard stanza["from"] == "\(account)" else { return }
                try store(result.forwarded.message, result.id, result.forwarded.delay?.stamp, work)
            }
        } else {
            let account = session.account
            try await session.on("/<from=\(account)>/{urn:xmpp:mam:2}result") { result, work in
                guard let id = try result.findFirst("{*}result@id", as: String.self) else { return }
                let time = "{*}result/{*}forwarded/{urn:xmpp:delay}delay@stamp|datetime" as QueryLiteral
                let sent = try result.findFirst(time, as: Date.self)
                let path = "{*}result/{urn:xmpp:forward:0}forwarded/{jabber:client}message" as QueryLiteral
                if let message = try result.findFirst(path, as: Element.self) { try store(message, id, sent, work) }
            }
        }

        try await home.run(server) {
            if hasMacros {
                var isComplete = false
                while !isComplete {
                    let iq = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "set"])
                    try iq.add(ArchiveQuery(page: ResultPage(max: 50, after: last)))
                    do {
                        guard let end = try await session.request(iq.freeze()).first(ArchiveEnd.self) else { break }
                        guard let page = end.page.last, page != last else { break }
                        (isComplete, last) = (end.isComplete, page)
                    } catch let error as StanzaError where error.condition == "item-not-found" && last != nil {
                        last = nil
                    }
                }
            } else {
                var isComplete = false
                while !isComplete {
                    let iq = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "set"]) {
                        MutableElement("query", namespace: "urn:xmpp:mam:2") {
                            MutableElement("set", namespace: "http://jabber.org/protocol/rsm") {
                                MutableElement("max", text: "50")
                                if let last { MutableElement("after", text: last) }
                            }
                        }
                    }
                    do {
                        let answer = try await session.request(iq.freeze())
                        isComplete = try answer.findFirst("{urn:xmpp:mam:2}fin@complete|bool", as: Bool.self) ?? false
                        let next = "{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/last#" as QueryLiteral
                        guard let page = try answer.findFirst(next, as: String.self), page != last else { break }
                        last = page
                    } catch let error as StanzaError where error.condition == "item-not-found" && last != nil {
                        last = nil
                    }
                }
            }
            let expected = ["m1 1.0 hi", "m2 2.0 hi", "m3 3.0 hi"]
            try await eventually("the messages are stored") { try await bodies() == expected }
        }
        #expect(last == "m3")
    }

    @Test(arguments: [false, true]) func carbons(hasMacros: Bool) async throws {
        let (home, bodies) = try await home()
        let (session, store) = (home.session, Self.store)
        func carbon(from sender: String, _ body: String) -> String {
            "<message from='\(sender)'><sent xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>"
                + "<message xmlns='jabber:client'><body>\(body)</body></message></forwarded></sent></message>"
        }

        if hasMacros {
            await session.onNewSession { work in
                try work.send(Element(stanza: "<presence/>"))
                let iq = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "set", "id": "c1"])
                try iq.add(CarbonsRequest.enable)
                try work.send(iq.freeze())
            }
            let account = session.account
            try await session.on(CarbonCopy.self) { copy, stanza, work in
                if stanza["from"] == "\(account)" { try store(copy.forwarded.message, work) }
            }
        } else {
            await session.onNewSession { work in
                try work.send(Element(stanza: "<presence/>"))
                try work.send(Element(stanza: "<iq type='set' id='c1'><enable xmlns='urn:xmpp:carbons:2'/></iq>"))
            }
            let account = session.account
            try await session.on("/<from=\(account)>/{urn:xmpp:carbons:2}*") { carbon, work in
                let path = "{*}*/{urn:xmpp:forward:0}forwarded/{jabber:client}message" as QueryLiteral
                if let message = try carbon.findFirst(path, as: Element.self) { try store(message, work) }
            }
        }

        try await home.run(server) {
            try await server.receives("c1")
            server.say(carbon(from: "mallory@example.org", "forged"))
            server.say(carbon(from: "juliet@example.org", "mine"))
            try await eventually("the carbon is stored") { try await !bodies().isEmpty }
        }
        #expect(try await bodies() == ["mine"])
    }

    @Test(arguments: [false, true]) func bundles(hasMacros: Bool) async throws {
        let session: DurableSession
        let home = try await Household(handlers: [])
        session = home.session
        server.answer { iq in
            let bundle =
                "<bundle xmlns='eu.siacs.conversations.axolotl'><identityKey>AQID</identityKey><prekeys>"
                + "<preKeyPublic preKeyId='7'>BA==</preKeyPublic><preKeyPublic preKeyId='9'>BQ==</preKeyPublic></prekeys></bundle>"
            let items = "<items node='n'><item id='current'>\(bundle)</item></items>"
            return [Self.answer(iq, "<pubsub xmlns='http://jabber.org/protocol/pubsub'>\(items)</pubsub>")]
        }
        let (contact, device) = ("romeo@example.net", 31415)

        try await home.run(server) {
            if hasMacros {
                let iq = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "to": contact])
                try iq.add(PubSubItemsRequest(PubSubItems(node: "eu.siacs.conversations.axolotl.bundles:\(device)")))
                let answer = try await session.request(iq.freeze()).first(PubSubItemsRequest.self)
                guard let item = answer?.items.items.first?.payload else { return }
                let bundle = try KeyBundle(item)
                #expect(bundle.identityKey == Data([1, 2, 3]) && bundle.preKeys.map(\.id) == [7, 9])
                return
            }
            let iq = MutableElement(
                "iq", namespace: "jabber:client", attributes: ["type": "get", "to": contact]
            ) {
                MutableElement("pubsub", namespace: "http://jabber.org/protocol/pubsub") {
                    MutableElement("items", attributes: ["node": "eu.siacs.conversations.axolotl.bundles:\(device)"])
                }
            }
            let answer = try await session.request(iq.freeze())
            guard
                let bundle = try answer.findFirst(
                    "{http://jabber.org/protocol/pubsub}pubsub/items/item/{eu.siacs.conversations.axolotl}bundle",
                    as: Element.self)
            else { return }
            let identity = try bundle.findFirst("identityKey#|base64", as: Data.self)
            let preKeys = try bundle.find("prekeys/preKeyPublic@preKeyId|int", as: Int.self)
            #expect(identity == Data([1, 2, 3]) && preKeys == [7, 9])
        }
        #expect(server.stanzas.map { $0.firstChild?.firstChild?["node"]?.suffix(5) } == ["31415"])
    }

    @Test(arguments: [false, true]) func rooms(hasMacros: Bool) async throws {
        let (home, bodies) = try await home()
        let (session, store) = (home.session, Self.store)

        let room: JID = "coven@chat.example.org"
        if hasMacros {
            await session.onNewSession { work in
                let presence = MutableElement(
                    "presence", namespace: "jabber:client", attributes: ["to": "\(room)/thirdwitch"])
                try presence.add(RoomJoin(history: RoomHistory(maxStanzas: 20)))
                try work.send(presence.freeze())
            }
            try await session.on(ChatMessage.self) { message, stanza, work in
                guard message.type == .groupchat, message.from?.bare == room, message.body != nil else { return }
                if message.delays.isEmpty { try store(stanza, work) }
            }
        } else {
            await session.onNewSession { work in
                let presence = MutableElement(
                    "presence", namespace: "jabber:client", attributes: ["to": "\(room)/thirdwitch"]
                ) {
                    MutableElement("x", namespace: "http://jabber.org/protocol/muc") {
                        MutableElement("history", attributes: ["maxstanzas": "20"])
                    }
                }
                try work.send(presence.freeze())
            }
            try await session.on("/{jabber:client}message<type=groupchat>/body") { message, work in
                guard let sender = message["from"].flatMap({ JID($0) }), sender.bare == room else { return }
                // An old message has its time in a delay.
                if try !message.check("{urn:xmpp:delay}delay") { try store(message, work) }
            }
        }

        let entered =
            "<presence from='coven@chat.example.org/thirdwitch'><x xmlns='http://jabber.org/protocol/muc#user'>"
            + "<status code='110'/></x></presence>"
        server.answer { $0["to"] == "coven@chat.example.org/thirdwitch" ? [entered] : [] }
        try await home.run(server) {
            func say(_ body: String, _ rest: String = "") {
                server.say("<message type='groupchat' from='\(room)/hag'><body>\(body)</body>\(rest)</message>")
            }
            say("old", "<delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/>")
            say("new")
            try await eventually("the message is stored") { try await !bodies().isEmpty }

            if hasMacros {
                try await session.send(
                    Element(ChatMessage(to: room, type: .groupchat, body: "Double, double toil and trouble")))
            } else {
                let message = MutableElement(
                    "message", namespace: "jabber:client", attributes: ["to": room.description, "type": "groupchat"]
                ) {
                    MutableElement("body", text: "Double, double toil and trouble")
                }
                try await session.send(message.freeze())
            }

            try await server.receives(2)
        }
        #expect(try await bodies() == ["new"])
        #expect(server.stanzas.map(\.name) == ["presence", "message"])
    }

    @Test(arguments: [false, true]) func upload(hasMacros: Bool) async throws {
        let home = try await Household(handlers: [])
        let session = home.session
        server.answer { iq in
            let form =
                "<query xmlns='http://jabber.org/protocol/disco#info'><x xmlns='jabber:x:data' type='result'>"
                + "<field var='FORM_TYPE' type='hidden'><value>urn:xmpp:http:upload:0</value></field>"
                + "<field var='max-file-size'><value>5000</value></field></x></query>"
            let slot =
                "<slot xmlns='urn:xmpp:http:upload:0'><put url='https://example.org/put'><header name='Authorization'>"
                + "Basic x</header></put><get url='https://example.org/get'/></slot>"
            return [Self.answer(iq, iq.firstChild?.name == "query" ? form : slot)]
        }
        let (service, name, size) = ("upload.example.org", "balcony.jpg", 4096)

        try await home.run(server) {
            if hasMacros {
                let info = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "to": service])
                try info.add(DiscoInfo())
                let limit: Int? = try await session.request(info.freeze()).findFirst(
                    #query(#"{*}query/\{urn:xmpp:http:upload:0}result@max-file-size\|int"#))
                if let limit, size > limit { return }
                let iq = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "to": service])
                try iq.add(UploadRequest(filename: name, size: size))
                guard let slot = try await session.request(iq.freeze()).first(UploadSlot.self) else { return }
                #expect(slot.put.url.path == "/put" && slot.get.path == "/get" && limit == 5000)
                #expect(slot.put.headers.map(\.text) == ["Basic x"])
                return
            }
            let info = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "to": service]) {
                MutableElement("query", namespace: "http://jabber.org/protocol/disco#info")
            }
            let limit = try await session.request(info.freeze()).findFirst(
                #"{http://jabber.org/protocol/disco#info}query/\{urn:xmpp:http:upload:0}result@max-file-size\|int"#,
                as: Int.self)
            if let limit, size > limit { return }
            let iq = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "to": service]) {
                MutableElement(
                    "request", namespace: "urn:xmpp:http:upload:0",
                    attributes: ["filename": name, "size": "\(size)", "content-type": "image/jpeg"])
            }
            let slot = try await session.request(iq.freeze())
            let put = try slot.findFirst("{urn:xmpp:http:upload:0}slot/put@url", as: URL.self)
            let get = try slot.findFirst("{urn:xmpp:http:upload:0}slot/get@url", as: URL.self)
            let headers = try slot.find("{urn:xmpp:http:upload:0}slot/put/header", as: Element.self)
            #expect(put?.path == "/put" && get?.path == "/get" && headers.map(\.text) == ["Basic x"] && limit == 5000)
        }
    }

    @Test(arguments: [false, true]) func receipts(hasMacros: Bool) async throws {
        let home = try await Household(handlers: [])
        let session = home.session

        if hasMacros {
            try await session.on(ChatMessage.self) { message, _, work in
                guard message.type == .chat, message.wantsReceipt, let id = message.id else { return }
                var answer = ChatMessage(to: message.from)
                answer.receipt = Receipt(id: id)
                try work.send(Element(answer))
            }
        } else {
            try await session.on("/{jabber:client}message<type=chat>/{urn:xmpp:receipts}request") { message, work in
                guard let id = message["id"], let receipt = message.reply() else { return }
                receipt.addChild("received", namespace: "urn:xmpp:receipts", attributes: ["id": id])
                try work.send(receipt.freeze())
            }
        }

        try await home.run(server) {
            server.say("<message type='chat' id='m1'><body>hi</body><request xmlns='urn:xmpp:receipts'/></message>")
            try await server.receives(1)
        }
        #expect(server.stanzas.map { $0.child("received", namespace: "urn:xmpp:receipts")?["id"] } == ["m1"])
    }

    @Test(arguments: [false, true]) func replies(hasMacros: Bool) async throws {
        let home = try await Household(handlers: [])
        let session = home.session

        if hasMacros {
            try await session.on(ChatMessage.self) { message, stanza, work in
                guard message.type == .chat, message.body != nil, let reply = stanza.reply() else { return }
                guard let sender = message.from, let id = message.id else { return }
                reply.addChild("body", text: "Neither, fair saint, if either thee dislike.")
                try reply.add(ReplyReference(to: sender, id: id))
                try work.send(reply.freeze())
            }
        } else {
            try await session.on("/{jabber:client}message<type=chat>/body") { message, work in
                guard let id = message["id"], let sender = message["from"], let reply = message.reply() else { return }
                reply.addChild("body", text: "Neither, fair saint, if either thee dislike.")
                reply.addChild("reply", namespace: "urn:xmpp:reply:0", attributes: ["to": sender, "id": id])
                try work.send(reply.freeze())
            }
        }

        try await home.run(server) {
            server.say("<message type='chat' id='m1' from='romeo@example.net'><body>Art thou Romeo?</body></message>")
            try await server.receives(1)
        }
        #expect(server.stanzas.map { $0.child("reply", namespace: "urn:xmpp:reply:0")?["id"] } == ["m1"])
    }

    @Test(arguments: [false, true]) func component(hasMacros: Bool) throws {
        var written: [String] = []
        func write(_ text: String) { written.append(text) }
        func digest(_ id: String) -> String { "digest of \(id)" }
        let received = [
            "<stream:stream xmlns='jabber:component:accept' xmlns:stream='http://etherx.jabber.org/streams' id='s1'>",
            "<handshake/><iq type='get' id='p1' from='romeo@example.net' to='echo.example.org'>",
            "<ping xmlns='urn:xmpp:ping'/></iq>",
        ]

        if hasMacros {
            let streams = "http://etherx.jabber.org/streams"
            write("<stream:stream xmlns='jabber:component:accept' xmlns:stream='\(streams)' to='echo.example.org'>")
            var parser = XMLStreamParser(mode: .stream)
            var context = NamespaceContext.empty
            for bytes in received {
                parser.feed(bytes)
                while let event = try parser.next() {
                    switch event {
                    case .streamStart(let header):
                        context = header.namespaces
                        write("<handshake>\(digest(header.element["id"] ?? ""))</handshake>")
                    case .element(let stanza, _):
                        let isPing = stanza.check(#query("/<type=get>/{urn:xmpp:ping}ping"))
                        guard isPing, let reply = stanza.reply() else { continue }
                        write(reply.xmlString(in: context))
                    case .rejected, .streamEnd: continue
                    }
                }
            }
        } else {
            let streams = "http://etherx.jabber.org/streams"
            write("<stream:stream xmlns='jabber:component:accept' xmlns:stream='\(streams)' to='echo.example.org'>")
            let isPing = try Query("/<type=get>/{urn:xmpp:ping}ping")
            var parser = XMLStreamParser(mode: .stream)
            var context = NamespaceContext.empty
            for bytes in received {
                parser.feed(bytes)
                while let event = try parser.next() {
                    switch event {
                    case .streamStart(let header):
                        context = header.namespaces
                        write("<handshake>\(digest(header.element["id"] ?? ""))</handshake>")
                    case .element(let stanza, _):
                        guard try stanza.check(isPing), let reply = stanza.reply() else { continue }
                        write(reply.xmlString(in: context))
                    case .rejected, .streamEnd: continue
                    }
                }
            }
        }

        #expect(
            written == [
                "<stream:stream xmlns='jabber:component:accept' xmlns:stream='http://etherx.jabber.org/streams' "
                    + "to='echo.example.org'>",
                "<handshake>digest of s1</handshake>",
                "<iq type='result' id='p1' to='romeo@example.net' from='echo.example.org'/>",
            ])
    }
}
