// Payloads that conform by hand: reading and writing frozen and editable trees, in the engine's words.

import Foundation
import Payloads
import Testing

struct Delay: Payload {
    static let payloadName: PayloadName = "{urn:xmpp:delay}delay"
    var from: JID?
    var stamp: Date
    var reason: String?

    init(from reader: PayloadReader) throws(PayloadError) {
        from = try reader.attribute("from")
        stamp = try reader.attribute("stamp")
        reason = try reader.text()
    }

    func encode(to writer: PayloadWriter) throws(PayloadError) {
        try writer.attribute("from", from)
        try writer.attribute("stamp", stamp)
        try writer.text(reason)
    }
}

extension Delay: Equatable {
    init(from: JID? = nil, stamp: Date, reason: String? = nil) {
        (self.from, self.stamp, self.reason) = (from, stamp, reason)
    }
}

@Suite struct PayloadTests {
    private let now = Date(timeIntervalSince1970: 1_000_000_000.25)

    private func carbon() throws -> Element {
        try Element(
            parsing: """
                <message xmlns='jabber:client'><received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
                <delay xmlns='urn:xmpp:delay' stamp='2001-09-09T01:46:40.25Z'/><message xmlns='jabber:client'/>\
                </forwarded></received></message>
                """)
    }

    @Test func reading() throws {
        let element = try Element(
            parsing: "<delay xmlns='urn:xmpp:delay' from='a@b' stamp='2001-09-09T01:46:40.25Z'>late</delay>")
        let delay = try Delay(element)
        #expect(delay == Delay(from: "a@b", stamp: now, reason: "late"))
        #expect(try Delay(element.thaw()) == delay)
    }

    @Test func documentation() throws {
        let element = try Element(stanza: "<delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'>Offline</delay>")
        let delay = try Delay(element)
        let again = try Element(delay)
        print(again.xmlString())
        #expect(again.xmlString() == "<delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25.000Z'>Offline</delay>")
    }

    @Test func writing() throws {
        let delay = Delay(from: "a@b", stamp: now, reason: "a < b")
        let element = try Element(delay)
        #expect(
            element.xmlString()
                == "<delay xmlns='urn:xmpp:delay' from='a@b' stamp='2001-09-09T01:46:40.250Z'>a &lt; b</delay>")
        #expect(try Delay(element) == delay)
    }

    @Test func adding() throws {
        let room: JID = "a@b"
        let message = MutableElement("message", namespace: "jabber:client")
        try message.add(Delay(from: room, stamp: now))
        try message.add(Delay(stamp: now))
        let sent = try message.first(Delay.self)?.stamp
        #expect(sent == now)
        #expect(try message.all(Delay.self).map(\.from) == [room, nil])
        #expect(try message.freeze().all(Delay.self).count == 2)
        #expect(try MutableElement("a").first(Delay.self) == nil)
    }

    /// A failed write leaves the element as it was.
    @Test func addingWhatHasNoText() throws {
        let message = MutableElement("message", namespace: "jabber:client")
        let error = try #require(throws: PayloadError.self) { try message.add(Delay(stamp: .distantFuture + 1e12)) }
        #expect(error.path == "{urn:xmpp:delay}delay@stamp" && error.element == "{urn:xmpp:delay}delay")
        #expect(message.children.isEmpty)
        let other = try #require(throws: PayloadError.self) { try Element(Delay(stamp: now, reason: "\u{1}")) }
        #expect(other.path == "/#" && other.description.contains("U+0001"), "\(other)")
    }

    @Test func queries() throws {
        let message = try carbon()
        let delay = try message.findFirst(
            "{urn:xmpp:carbons:2}received/{urn:xmpp:forward:0}forwarded/{urn:xmpp:delay}delay", as: Delay.self)
        #expect(delay == Delay(stamp: now))
        let place = "{urn:xmpp:carbons:2}received/{urn:xmpp:forward:0}forwarded"
        #expect(try message.thaw().findFirst("\(place)/{urn:xmpp:delay}delay", as: Delay.self) == nil)
        let editable = message.thaw()
        #expect(
            try editable.find(
                "{urn:xmpp:carbons:2}received/{urn:xmpp:forward:0}forwarded/{urn:xmpp:delay}delay<stamp=%@>",
                "2001-09-09T01:46:40.25Z", as: Delay.self) == [Delay(stamp: now)])
        #expect(try message.findFirst("body", as: Delay.self) == nil)
        #expect(throws: PayloadError.self) { try message.findFirst("{urn:xmpp:carbons:2}received", as: Delay.self) }
        #expect(throws: QueryError.self) { try message.findFirst("a<", as: Delay.self) }
    }

    @Test func errors() throws {
        let message = try Element(
            parsing: "<message xmlns='jabber:client'><delay xmlns='urn:xmpp:delay' stamp='5'/></message>")
        let error = try #require(throws: PayloadError.self) { try message.first(Delay.self) }
        #expect(error.reason == .invalid(expected: "a date and time such as 2026-01-31T12:00:00Z"))
        #expect(
            error.description == """
                {urn:xmpp:delay}delay, at '{urn:xmpp:delay}delay@stamp': the text is of another type; expected a date and \
                time such as 2026-01-31T12:00:00Z
                """)
        #expect(try message.findFirst("{urn:xmpp:delay}delay@stamp")?.string == "5")
        let other = try #require(throws: PayloadError.self) { try Delay(message) }
        #expect(
            other.description
                == "{jabber:client}message, at '/': another element; expected {urn:xmpp:delay}delay")
        let missing = try #require(throws: PayloadError.self) {
            try Delay(Element(parsing: "<delay xmlns='urn:xmpp:delay'/>"))
        }
        #expect(missing.path == "/@stamp" && missing.reason == .missing)
        #expect(missing.localizedDescription.hasSuffix("missing; add it, or make the property optional"))
    }

    /// Child elements in a wrapper, which is written only for content.
    @Test func wrappers() throws {
        let bundle = try Element(
            parsing: "<bundle xmlns='urn:x'><prekeys><pk>AQ==</pk><pk>Ag==</pk></prekeys></bundle>")
        let reader = PayloadReader(bundle)
        do {
            let preKeys: [Data] = try reader.within("prekeys").child("pk")
            #expect(preKeys == [Data([1]), Data([2])])
            let copy = MutableElement("bundle", namespace: "urn:x")
            let writer = PayloadWriter(copy)
            try writer.within("prekeys").child("pk", [Data]())
            #expect(copy.firstChild == nil)
            for key in preKeys { try writer.within("prekeys").child("pk", key) }
            #expect(copy.freeze() == bundle)
        }
        let nested = MutableElement("bundle", namespace: "urn:x")
        let writer = PayloadWriter(nested).within("a").within("b")
        try writer.child("c", nil as Int?)
        #expect(nested.firstChild == nil)
        try writer.child("c", [1, 2])
        #expect(nested.xmlString() == "<bundle xmlns='urn:x'><a><b><c>1</c><c>2</c></b></a></bundle>")
        let unwritable = try #require(throws: PayloadError.self) { try writer.attribute("x", "\u{1}") }
        #expect(unwritable.path == "a/b@x")
        let empty = PayloadReader(MutableElement("bundle", namespace: "urn:x"))
        #expect(try empty.within("prekeys").child("pk") == [Int]() && !empty.within("prekeys").flag("pk"))
        let error = try #require(throws: PayloadError.self) {
            let key: Int = try empty.within("prekeys").child("pk")
            Issue.record("\(key) was read")
        }
        #expect(error.path == "prekeys/pk" && error.element == "{urn:x}bundle")
    }

    /// Nothing is read from a wrapper that is missing, nor from one inside it.
    @Test func missingWrappers() throws {
        let empty = PayloadReader(MutableElement("bundle", namespace: "urn:x"))
        let (wrapper, inner) = (try empty.within("a"), try empty.within("a").within("b"))
        for reader in [wrapper, inner] {
            let (number, text): (Int?, String?) = (try reader.attribute("x"), try reader.text())
            #expect(number == nil && text == nil && !reader.flag("c"))
            #expect(try reader.child("c") == [String]() && reader.child("c") == LocalizedText())
            #expect(throws: PayloadError.self) { try reader.attribute("x") as Int }
            #expect(throws: PayloadError.self) { try reader.text() as String }
            #expect(throws: PayloadError.self) { try reader.form() as DataForm }
        }
        let error = try #require(throws: PayloadError.self) { _ = try wrapper.attribute("x") as Int }
        #expect(error.path == "a@x")
        let twice = PayloadReader(try Element(parsing: "<bundle xmlns='urn:x'><a/><a/></bundle>"))
        #expect(throws: PayloadError.self) { try twice.within("a") }
    }

    /// A message may have thousands of bodies, and one for each language.
    @Test func manyLanguages() throws {
        let bodies = (0..<20_000).map { "<body xml:lang='l\($0)'>\($0)</body>" }.joined()
        let message = try Element(parsing: "<message xmlns='urn:x'>\(bodies)</message>")
        let texts: LocalizedText = try PayloadReader(message).child("body")
        #expect(texts.entries.count == 20_000 && texts["L19999"] == "19999")
    }

    @Test func names() throws {
        do {
            let name: PayloadName = "{urn:xmpp:delay}delay"
            #expect(name == Delay.payloadName)
        }
        #expect(PayloadName("{urn:x}a").description == "{urn:x}a")
        let plain = "a"
        #expect(try PayloadName(plain).namespace == "")
        #expect("{urn:x}\u{E9}" as PayloadName != "{urn:x}e\u{301}")
        for text in ["", "{urn:x}", "a b", "p:a"] {
            #expect(throws: XMLTreeError.self) { try PayloadName(text + "") }
        }
    }
}
