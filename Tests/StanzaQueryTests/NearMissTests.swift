// Wrong queries that find nothing, with the sentence that each gives.

import QuerySyntax
import QueryTools
import StanzaQuery
import TestSupport
import Testing

@Suite struct NearMissTests {
    private static let stanzas = [
        "<iq xmlns='jabber:client' id='i1' type='result' from='a@b'><query xmlns='http://jabber.org/proto"
            + "col/disco#info' node='n'><identity category='client' type='pc'/><feature var='urn:x'/><feature v"
            + "ar='urn:y'/></query></iq>",
        "<message xmlns='jabber:client' id='m1' type='groupchat' from='r@c/n'><body>Hello there</body><de"
            + "lay xmlns='urn:xmpp:delay' stamp='2020-01-01T00:00:00Z'/><event xmlns='http://jabber.org/protoco"
            + "l/pubsub#event'><items node='urn:n'><item id='7x'><entry xmlns='urn:e'><title>Soliloquy</title><"
            + "/entry></item></items></event></message>",
        "<presence xmlns='jabber:client' from='a@b/c'><show>away</show><x xmlns='vcard-temp:x:update'><ph"
            + "oto>abc</photo></x></presence>",
        "<message xmlns='jabber:client'><result xmlns='urn:xmpp:mam:2'><forwarded xmlns='urn:xmpp:forward:0'>"
            + "<message xmlns='jabber:client' from='r@c.d/n'><body>x</body></message></forwarded></result></message>",
        "<iq><x xmlns='jabber:x:data' type='form'><field var='a'/><field var='b'/></x></iq>",
    ]

    /// The number of a stanza and a query, then the sentence.
    private static let table = #"""
        2 message
          `message` is the stanza itself: write `/message`
        1 /iq/query/feature@var
          no `query` in jabber:client; 1 in {http://jabber.org/protocol/disco#info}: write `/iq/{http://jabber.org/protocol/disco#info}query/feature@var`
        2 /message/delay@stamp
          no `delay` in jabber:client; 1 in {urn:xmpp:delay}: write `/message/{urn:xmpp:delay}delay@stamp`
        2 /message<type=groupchat, id=m1>
          `type` is 'groupchat' in 1, never 'groupchat, id=m1': write `/message<type=groupchat><id=m1>`
        2 /message<type=groupchat and from='r@c/n'>
          `type` is 'groupchat' in 1, never "groupchat and from='r@c/n'": write `/message<type=groupchat><from=r@c/n>`
        2 /message<body=x>
          `body` is an element, and a filter tests only attributes, no texts: write `/message/body`
        2 /message<type=groupchat & from~r@>
          `type` is 'groupchat' in 1, never 'groupchat & from~r@': write `/message<type=groupchat><from~r@>`
        2 /message<type=groupchat and m1>
          `type` is 'groupchat' in 1, never 'groupchat and m1'
        2 /message<body=x>/{urn:xmpp:delay}delay
          `body` is an element, and a filter tests only attributes, no texts
        4 /message/{urn:xmpp:mam:2}result/{*}forwarded/{*}message<from=r@c.d>
          `from` is 'r@c.d/n' in 1, never 'r@c.d': write `/message/{urn:xmpp:mam:2}result/{*}forwarded/{*}message<from~^r@c\.d/>`
        2 /message<id=m>
          `id` is 'm1' in 1, never 'm'
        2 body/#
          no children in `body`
        2 message<type=chat or type=groupchat>
          `message` is the stanza itself; `type` is 'groupchat' in 1, never 'chat or type=groupchat': write `/message<type~^(chat|groupchat)$>`
        2 /message<type='groupchat'>
          `type` is 'groupchat' in 1, never "'groupchat'": write `/message<type=groupchat>`
        2 /message<type==groupchat>
          `type` is 'groupchat' in 1, never '=groupchat': write `/message<type=groupchat>`
        2 /message<type=Groupchat>
          `type` is 'groupchat' in 1, never 'Groupchat': write `/message<type=groupchat>`
        2 /message<type=group*>
          `type` is 'groupchat' in 1, never 'group*': write `/message<type~^group.*$>`
        2 /message<Type=groupchat>
          no `Type` in `message`, but `type`: write `/message<type=groupchat>`
        2 {'urn:xmpp:delay'}delay
          no `delay` in 'urn:xmpp:delay'; 1 in {urn:xmpp:delay}: write `{urn:xmpp:delay}delay`
        2 delay:delay@stamp
          a prefix has no meaning here, and `delay` is in {urn:xmpp:delay}: write `{urn:xmpp:delay}delay@stamp`
        2 /mesage/body
          no stanza is `mesage`, only `message`: write `/message/body`
        2 /body
          `body` is in the stanza, and not the stanza itself: write `body`
        2 body@id
          `id` is an attribute of the stanza itself: write `/@id`
        2 /message@body
          `body` is an element, not an attribute: write `/message/body#`
        2 id
          `id` is an attribute, not an element: write `/@id`
        2 /message/title
          `title` is deeper, in `entry`: write `/message/{http://jabber.org/protocol/pubsub#event}event/items/item/{urn:e}entry/title`
        2 /message/items/item@id
          `items` is deeper, in `event`: write `/message/{http://jabber.org/protocol/pubsub#event}event/items/item@id`
        2 event/items/item/entry/title#
          no `event` in jabber:client; 1 in {http://jabber.org/protocol/pubsub#event}; no `entry` in http://jabber.org/protocol/pubsub#event; 1 in {urn:e}: write `{http://jabber.org/protocol/pubsub#event}event/items/item/{urn:e}entry/title#`
        2 {http://jabber.org/protocol/pubsub}event/items
          no `event` in http://jabber.org/protocol/pubsub; 1 in {http://jabber.org/protocol/pubsub#event}: write `{http://jabber.org/protocol/pubsub#event}event/items`
        2 /message#
          `message` has no text, but `body` in it has: write `/message/body#`
        2 {http://jabber.org/protocol/pubsub#event}event/items#
          `items` has no text
        2 body#|datetime
          'Hello there' does not convert to datetime: write `body#`
        2 /message<type=error>/error
          `type` is 'groupchat' in 1, never 'error'
        2 /message<id~^x>
          `id` is 'm1' in 1, and never matches '^x'
        2 /message<xmlns=jabber:server>
          `message` is in {jabber:client}
        4 body
          `body` is deeper, in `message`: write `{urn:xmpp:mam:2}result/{urn:xmpp:forward:0}forwarded/{jabber:client}message/body`
        4 {urn:xmpp:mam:2}result/\@FORM\
          no data form in `result`
        5 {jabber:x:data}x\@c\
          `x` is not a data form that fits `\@c\`; its fields are `a`, `b`
        2 /{jabber:server}message
          no `message` in jabber:server; 1 in {jabber:client}: write `/{jabber:client}message`
        2 !body/x
          every element in that namespace has the name that `!body` excludes
        2 */feature
          no `feature` in `body`, which has no children
        3 show@status
          `show` has no attribute `status`, and no other
        3 /presence/show<type=away>
          `show` has no attribute `type`, and no other
        1 {http://jabber.org/protocol/disco#info}query/feature<var=urn:z>
          `var` is 'urn:x' in 1, 'urn:y' in 1, never 'urn:z': write `{http://jabber.org/protocol/disco#info}query/feature<var=urn:x>`
        1 \@field\
          no data form in `iq`
        2 /message<id=a.b or m1>
          `id` is 'm1' in 1, never 'a.b or m1'
        """#

    @Test func sentences() throws {
        let stanzas = try Self.stanzas.map { try element($0) }
        let lines = Self.table.split(separator: "\n")
        for (first, sentence) in zip(lines, lines.dropFirst()) where !first.hasPrefix(" ") {
            let words = first.split(separator: " ", maxSplits: 1)
            let stanza = stanzas[try #require(words.first.flatMap { Int($0) }) - 1]
            let query = try Query(String(words[1]))
            let miss = try #require(try query.nearMiss(on: stanza), "\(first)")
            #expect(miss.description == sentence.drop { $0 == " " }, "\(first)")
            if let repair = miss.repair { #expect(try stanza.check(Query(repair)), "\(first)") }
        }
        #expect(lines.count >= 90)
    }

    @Test func example() throws {
        let stanza = try Element(parsing: "<iq xmlns='jabber:client'><query xmlns='jabber:iq:version'/></iq>")
        let miss = try Query("/iq/query").nearMiss(on: stanza)
        #expect(
            miss?.description
                == "no `query` in jabber:client; 1 in {jabber:iq:version}: write `/iq/{jabber:iq:version}query`")
        #expect(try Query("/iq").nearMiss(on: stanza) == nil)
    }

    @Test func exampleOfASearch() throws {
        let stanzas = try Self.stanzas.map { try element($0) }
        var search = NearMissSearch(for: try Query("message/body#"))
        for stanza in stanzas { try search.add(stanza) }
        let miss = search.nearMiss
        #expect(miss?.description == "`message` is the stanza itself: write `/message/body#`")
    }

    @Test func furthestStanza() throws {
        var search = NearMissSearch(for: try Query("/message<type=chat>/body"))
        #expect(try search.add(element("<iq/>")))
        #expect(try search.add(element("<message/>")))
        #expect(try !search.add(element("<message type='error'/>")), "as far as the one before")
        #expect(try search.add(element("<message type='chat'/>")))
        #expect(try !search.add(element("<iq/>")) && !search.hasFound)
        #expect(try search.add(element("<message type='chat'><body/></message>")) && search.hasFound)
        #expect(try !search.add(element("<message type='chat'><body/></message>")), "the first result is enough")
    }

    @Test func countsAllStanzas() throws {
        var search = NearMissSearch(for: try Query("/message<type=chat>/body"))
        #expect(search.nearMiss == nil, "no stanza has an obstacle")
        for number in 0..<200 {
            try search.add(element("<message type='\(number % 4 == 0 ? "headline" : "groupchat")'><body/></message>"))
            try search.add(element("<presence type='chat'/>"))
        }
        #expect(search.nearMiss?.description == "`type` is 'groupchat' in 150, 'headline' in 50, never 'chat'")
        try search.add(element("<message type='chat'><body/></message>"))
        #expect(search.nearMiss == nil)
    }

    @Test func argumentsAreKept() throws {
        let stanza = try element("<message type='chat'><body/></message>")
        let miss = try Query("message<type=%@>").nearMiss(on: stanza, arguments: ["chat"])
        #expect(miss?.repair == "/message<type=%@>")
        #expect(throws: QueryError.self) { try Query("message<type=%@>").nearMiss(on: stanza) }
    }

    /// The sentence is about the elements at the place, and not about others of their name.
    @Test func placesOfTheStep() throws {
        let far = "<r><c><k><z/></k></c>\(String(repeating: "<b/>", count: 300))<a><k i='1'>x<y/></k></a></r>"
        let stanza = try element(far)
        #expect(try Query("a/k/z").nearMiss(on: stanza)?.reasons == ["no `z` in `k`, only `y`"])
        #expect(try Query("a/k@j").nearMiss(on: stanza)?.reasons == ["`k` has no attribute `j`, only `i`"])
        #expect(try Query("a/k#|int").nearMiss(on: stanza) == nil)
        #expect(try Query("a#").nearMiss(on: stanza)?.repair == "a/k#")
        #expect(
            try Query("/<{urn:x}a=w>").nearMiss(on: element("<r a='u' p:a='v' xmlns:p='urn:x'/>"))?.reasons.first
                == "`a` is 'v' in 1, never 'w'")
        #expect(try Query("/<a=50%%>").nearMiss(on: element("<r a='50% '/>"))?.repair == "/<a=50%% >")
    }

    /// Of many stanzas, those are looked at again that have something new.
    @Test func samples() throws {
        var stanzas = try (0..<300).map { number in
            try element("<message type='get' id='\(number)' from='romeo@x'><a><b i='\(number)'/></a></message>")
        }
        stanzas.append(
            try element("<message from='juliet@x'><p:ping xmlns:p='urn:ping'><p:c k='v'/></p:ping></message>"))
        for (query, repair) in [
            ("/message/ping/c@k", "/message/{urn:ping}ping/c@k"), ("/mesage/ping", "/message/{urn:ping}ping"),
            ("/message<from=julliet@x>", "/message<from=juliet@x>"),
        ] {
            var search = NearMissSearch(for: try Query(query))
            for stanza in stanzas { try search.add(stanza) }
            #expect(search.nearMiss?.repair == repair)
        }
    }

    /// Names that look alike, but have other code points, are other names.
    @Test func codePoints() throws {
        let stanza = try element("<caf\u{E9}><caf\u{E9}/></caf\u{E9}>")
        let repair = try Query("/{*}*/cafe\u{301}").nearMiss(on: stanza)?.repair
        #expect(repair.map { Array($0.utf8) } == Array("/{*}*/caf\u{E9}".utf8))
        #expect(try Query("cafe\u{301}").nearMiss(on: stanza)?.reasons.first?.contains("itself") == false)
    }

    /// Names and values of strangers do not make the sentence long, or longer than a line.
    @Test func hostileNames() throws {
        let long = String(repeating: "x", count: 1_000)
        let stanza = try element("<message k='&#10;\(String(repeating: long, count: 20))'><\(long)/></message>")
        for query in ["/message/body", "/message<k=v>", "/message@j", "/\(long)", "\(long)y"] {
            let miss = try #require(try Query(query).nearMiss(on: stanza))
            #expect(miss.reasons.allSatisfy { $0.utf8.count < 1_000 && !$0.contains("\n") }, "\(miss)")
        }
        let wide = try element("<message>\(String(repeating: "<a><b/></a>", count: 30_000))</message>")
        #expect(try Query("a/c").nearMiss(on: wide)?.reasons == ["no `c` in `a`, only `b`"])
    }

    /// Each repair finds something, and only what finds nothing has a reason.
    @Test func repairsFindSomething() throws {
        var (misses, repairs) = (0, 0)
        for salt in 0..<UInt64(SeededGenerator.cases(default: 400)) {
            var made = try RandomCases(salt: salt)
            let stanza = try made.document()
            for _ in 0..<5 {
                let text = made.query()
                let arguments = FittingArguments(for: ParsedQuery(parsing: text).tree, from: NaiveTree(stanza))?.values
                guard let query = try? Query(text), let arguments,
                    let miss = try? query.nearMiss(on: stanza, arguments: arguments)
                else { continue }
                misses += 1
                #expect(try query.inspect(stanza, arguments: arguments).results.isEmpty, "\(text)")
                guard let repair = miss.repair else { continue }
                repairs += 1
                #expect(
                    try !Query(repair).inspect(stanza, arguments: arguments).results.isEmpty,
                    "\(text) \(repair), case \(salt)")
            }
        }
        #expect(misses > 100 && repairs > 10, "\(misses) misses, \(repairs) repairs")
    }
}
