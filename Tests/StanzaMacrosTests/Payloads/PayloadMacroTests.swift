// Structures and enumerations with @Payload at run time.

import DataFormMacros
import Foundation
import PayloadMacros
import Testing

@Payload("{urn:xmpp:delay}delay")
struct Delay {
    @Attribute var from: JID?
    @Attribute var stamp: Date
    @Text var reason: String?
}

@Payload("{http://jabber.org/protocol/chatstates}")
enum ChatState { case active, composing, paused, inactive, gone }

@Payload("{jabber:client}presence", by: "type")
enum Subscription {
    case subscribe, subscribed, unsubscribe, unsubscribed
    @Case(nil) case available
}

@DataForm("urn:x:limits") private struct Limits: Equatable { @Field var size: Int }

@Payload("{urn:x}key") private struct Key: Equatable {
    @Attribute var id: UInt32
    @Text var data: Data
}

@Payload private enum Content: Equatable {
    case key(Key)
    case delay(Delay)
}

extension Delay: Equatable {}

private typealias Name = String?

@Payload("{urn:x}all") private struct All: Equatable {
    @Attribute var id: Int
    @Attribute("xml:lang") var language: Name
    @Attribute("{urn:y}size") var size = 5
    @Text var text: String?
    @Child("subject") var subject: String?
    @Child("{urn:y}count") var count: Int = 7
    @Child("body") var bodies: LocalizedText
    @Child("item", attribute: "jid") var addresses: [JID]
    @Child var delay: Delay?
    @Child(in: "keys") var keys: [Key]
    @Child var state: ChatState?
    @Child("any") var any: Element?
    @Flag var store: Bool
    @Form(.result) var limits: Limits?
    @Query("keys/key@id|uint") var ids: [UInt]
    @Query("subject#") var title: String?
    @Rest var others: [Element]
}

@Payload("{urn:x}strict", refusesOthers: true) private struct Strict: Equatable {
    @Attribute var id: Int
    @Child("a") var a: String?
    @Child(in: "keys") var keys: [Key] = []
    @Child("b", in: "keys") var b: String?
}

@Payload("{urn:x}strict", by: "type") private enum StrictChoice: Equatable {
    case strict(Strict)
    case other
}

@Payload("{urn:x}defaults") private struct Defaults: Equatable {
    @Form var limits = Limits(size: 5)
    @Form var optional: Limits? = Limits(size: 5)
    @Form var form: DataForm = DataForm(.submit)
}

@Payload("{urn:x}defaults") private struct DefaultList { @Form var forms: [DataForm] = [DataForm(.result)] }

@Payload("{urn:x}plain") private struct Plain {
    @Attribute("{}a") var a: Int?
    @Child("{}b") var b: Int
}

@Payload("{jabber:client}message")
struct Carbon {
    @Query("{urn:xmpp:carbons:2}received/{urn:xmpp:forward:0}forwarded/{jabber:client}message/body#") var body: String?
}

@Suite struct PayloadMacroTests {
    private func all() throws -> All {
        try All(
            id: 1, language: "en", size: 6, text: "t", subject: "s", count: 8, bodies: ["de": "b", "fr": "c"],
            addresses: ["a@b", "c@d"], delay: Delay(from: nil, stamp: Date(timeIntervalSince1970: 5), reason: nil),
            keys: [Key(id: 1, data: Data([1])), Key(id: 2, data: Data())], state: .paused,
            any: Element(parsing: "<any xmlns='urn:x'>5</any>"), store: true, limits: Limits(size: 9), ids: [1, 2],
            title: "s", others: [Element(parsing: "<other/>")])
    }

    @Test func roundTrip() throws {
        let all = try all()
        let element = try Element(all)
        #expect(try All(element) == all)
        #expect(try All(element.thaw()) == all)
        #expect(try All(Element(parsing: element.xmlString())) == all)
    }

    @Test func nothing() throws {
        let element = try Element(parsing: "<all xmlns='urn:x' id='1'/>")
        let empty = try All(element)
        let none = All(
            id: 1, language: nil, size: 5, text: nil, subject: nil, count: 7, bodies: [:], addresses: [], delay: nil,
            keys: [], state: nil, any: nil, store: false, limits: nil, ids: [], title: nil, others: [])
        #expect(empty == none)
        #expect(try Element(none).children.map(\.name) == ["count"])
    }

    @Test func languagesAroundTheElement() throws {
        let message = try Element(
            parsing: "<m xml:lang='en'><all xmlns='urn:x' id='1'><body>a</body><body xml:lang='de'>b</body></all></m>")
        let all = try message.first(All.self)
        #expect(all?.bodies == ["en": "a", "de": "b"] && all?.language == nil)
        let twice = try Element(parsing: "<all xmlns='urn:x' id='1'><body>a</body><body>b</body></all>")
        #expect(throws: PayloadError.self) { try All(twice) }
    }

    @Test func errors() throws {
        func error(_ content: String, _ attributes: String = "id='1'") throws -> PayloadError? {
            let xml = "<m><all xmlns='urn:x' \(attributes)>\(content)</all></m>"
            return try #require(throws: PayloadError.self) { try Element(parsing: xml).first(All.self) }
        }
        #expect(try error("", "id='x'")?.path == "{urn:x}all@id")
        #expect(try error("<keys><key id='1'>!</key></keys>")?.path == "{urn:x}all/keys/key#")
        #expect(try error("<keys><key>AQ==</key></keys>")?.path == "{urn:x}all/keys/key@id")
        #expect(try error("<item/>")?.reason == .missing)
        #expect(try error("<subject/><subject/>")?.reason == .several(2))
        #expect(try error("<count xmlns='urn:y'/>")?.path == "{urn:x}all/{urn:y}count#")
        let type = "<field var='FORM_TYPE'><value>urn:x:limits</value></field>"
        let form = "<x xmlns='jabber:x:data' type='result'>\(type)</x>"
        #expect(try error(form)?.description.contains("the field 'size' has no value") == true)
    }

    @Test func unknownContent() throws {
        func strict(_ xml: String) throws -> Strict { try Strict(Element(parsing: xml)) }
        #expect(try strict("<strict xmlns='urn:x' xml:lang='en' id='1'> <a>b</a> </strict>") == Strict(id: 1, a: "b"))
        for (xml, path) in [
            ("<strict xmlns='urn:x' id='1' b='2'/>", "/@b"), ("<strict xmlns='urn:x' id='1'>c</strict>", "/#"),
            ("<strict xmlns='urn:x' id='1'><c/></strict>", "c"),
            ("<strict xmlns='urn:x' id='1'><keys><b/><c/></keys></strict>", "keys/c"),
            ("<strict xmlns='urn:x' id='1'><keys d='2'/></strict>", "keys@d"),
        ] {
            let error = try #require(throws: PayloadError.self) { try strict(xml) }
            #expect(error.path == path && error.reason == .unexpected, "\(error)")
        }
        let whole = Strict(id: 1, a: "a", keys: [Key(id: 1, data: Data())], b: "b")
        #expect(try Strict(Element(whole)) == whole)
    }

    /// The attribute that chooses a case belongs to the choice.
    @Test func strictChoice() throws {
        let strict = StrictChoice.strict(Strict(id: 1))
        #expect(try StrictChoice(Element(strict)) == strict)
        let other = try Element(parsing: "<strict xmlns='urn:x' id='1' type='strict' b='2'/>")
        let error = try #require(throws: PayloadError.self) { try StrictChoice(other) }
        #expect(error.path == "/@b")
    }

    @Test func defaultForms() throws {
        let empty = try Element(parsing: "<defaults xmlns='urn:x'/>")
        #expect(try Defaults(empty) == Defaults(optional: nil))
        #expect(try DefaultList(empty).forms == DefaultList().forms)
        let full = try Element(parsing: "<defaults xmlns='urn:x'><x xmlns='jabber:x:data' type='form'/></defaults>")
        #expect(try Defaults(full).form.kind == .form && DefaultList(full).forms.map(\.kind) == [.form])
    }

    /// The path of an error is a query, which has no empty braces.
    @Test func pathsWithoutNamespaces() throws {
        func path(_ content: String) throws -> String {
            let root = try Element(parsing: "<m><plain xmlns='urn:x' \(content)</plain></m>")
            let path = try #require(throws: PayloadError.self) { try root.first(Plain.self) }.path
            #expect(throws: Never.self) { try Query(path) }
            return path
        }
        #expect(try path(">") == "{urn:x}plain/{*}b")
        #expect(try path("><b xmlns=''>c</b>") == "{urn:x}plain/{*}b#")
        #expect(try path("a='c'>") == "{urn:x}plain@a")
    }

    @Test func choices() throws {
        for state: ChatState in [.active, .composing, .paused, .inactive, .gone] {
            let element = try Element(state)
            #expect(element.name == "\(state)" && element.namespace == "http://jabber.org/protocol/chatstates")
            #expect(try ChatState(element) == state)
        }
        let key = Content.key(Key(id: 1, data: Data([1])))
        #expect(try Content(Element(key)) == key && Element(key).name == "key")
        let error = try #require(throws: PayloadError.self) { try Content(Element(ChatState.gone)) }
        #expect(error.reason == .wrongElement(expected: "{urn:x}key or {urn:xmpp:delay}delay"))
        for (subscription, type) in [(Subscription.subscribe, "subscribe"), (.available, nil)] {
            let element = try Element(subscription)
            #expect(element["type"] == type && element.name == "presence")
            #expect(try Subscription(element) == subscription)
        }
        let unknown = try Element(parsing: "<presence xmlns='jabber:client' type='x'/>")
        let other = try #require(throws: PayloadError.self) { try Subscription(unknown) }
        #expect(other.path == "/@type")
    }

    @Test func query() throws {
        let message = try Element(
            parsing: """
                <message xmlns='jabber:client'><received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
                <message xmlns='jabber:client'><body>Hi</body></message></forwarded></received></message>
                """)
        #expect(try Carbon(message).body == "Hi")
        #expect(try Carbon(message.thaw()).body == "Hi")
        #expect(try Element(Carbon(body: "Hi")).firstChild == nil)
    }

    @Test func documentation() throws {
        let element = try Element(stanza: "<delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'>Offline</delay>")
        let delay = try Delay(element)
        let again = try Element(delay)
        print(delay.reason ?? "", again.xmlString())
        #expect(delay.reason == "Offline")
        #expect(again.xmlString() == "<delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25.000Z'>Offline</delay>")
    }
}
