// A child made in place is the same as one that is built and added.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct AddingTests {
    @Test func aChildIsMadeInPlace() throws {
        let message = MutableElement("message", namespace: "jabber:client")
        let body = message.addChild("body", attributes: ["xml:lang": "en"], text: "Wherefore art thou?")
        body.addChild("b", text: "x").addChild("c", namespace: "u", attributes: ["k": nil])
        message.addChild("thread")
        #expect(
            message.xmlString(in: .clientStream)
                == "<message><body xml:lang='en'>Wherefore art thou?<b>x<c xmlns='u'/></b></body><thread/></message>")
        #expect(body === message.firstChild)
    }

    @Test func theDocumentedChild() throws {
        let roster = MutableElement("query", namespace: "jabber:iq:roster")
        roster.addChild("item", attributes: ["jid": "juliet@example.com", "name": "Juliet"])
        #expect(
            roster.xmlString()
                == "<query xmlns='jabber:iq:roster'><item jid='juliet@example.com' name='Juliet'/></query>")
    }

    /// A parent that waits for its namespace gives it to such children later.
    @Test func childrenWaitWithTheirParent() throws {
        let query = MutableElement("query")
        query.addChild("item", attributes: ["jid": "a"])
        query.addChild("other", namespace: .empty)
        let added = MutableElement("iq", namespace: "jabber:client").add(query)
        #expect(added.children.map(\.namespace) == ["jabber:client", nil])
    }

    private static let names: [XMLName] = ["a", "b", "é", "long-name-of-an-element", "xmlns", "{u}a", "{}b"]
    private static let namespaces: [ElementNamespace] = [
        .inherited, .inherited, .inherited, .empty, "u", "jabber:client", "", .uri(XMLNamespace.xml),
    ]
    private static let keys = ["k", "id", "type", "{\(XMLNamespace.xml)}lang", "{urn:n}k", "{}j", "é", "k\u{301}"]
    private static let values: [String?] = [
        "", "v", nil, "e\u{301}", "bad\u{1}", String(repeating: "long ", count: 50),
    ]
    private static let parents = [
        "<r/>", "<r xmlns='u' a='b'>t<p:x xmlns:p='v'/></r>", "<p:r xmlns:p='urn:n' p:k='v'/>",
    ]

    @Test func agreesWithBuildingAndAdding() throws {
        var children = 0
        for round in 0..<SeededGenerator.cases(default: 150) {
            var random = SeededGenerator(salt: UInt64(round))
            let start =
                random.chance(60)
                ? try Element(parsing: random.pick(Self.parents), in: .clientStream).thaw()
                : random.chance(50) ? MutableElement("r") : try RandomTree.make(using: &random)
            let (one, other) = (start, start.copy())
            var (parent, twin) = (one, other)
            for step in 0..<40 {
                let isGood = random.chance(60)
                let name = isGood ? random.pick(["a", "b", "é"]) : random.pick(Self.names)
                let namespace = isGood ? random.pick([.inherited, .empty, "u"]) : random.pick(Self.namespaces)
                var keys = isGood ? ["k0", "k1", "k2"] : Self.keys
                keys.shuffle(using: &random)
                let pairs = keys.prefix(Int.random(in: 0...3, using: &random)).map { key in
                    (key, isGood ? "v" : random.pick(Self.values))
                }
                let text = isGood ? "x" : random.pick(Self.values)
                let attributes = try AttributeValues(pairs)
                let built = twin.add(MutableElement(name, namespace: namespace, attributes: attributes, text: text))
                let added = parent.addChild(name, namespace: namespace, attributes: attributes, text: text)
                let place: Comment = "seed \(SeededGenerator.seed), round \(round), step \(step)"
                #expect(added.xmlString() == built.xmlString(), place)
                if random.chance(30) { (parent, twin) = (added, built) }
                children += 1
                #expect(one.xmlString() == other.xmlString() && one.freeze() == other.freeze(), place)
                #expect(one.tree.knownSize(of: one.index) == one.tree.reader(at: one.index).sizeOfCopy)
                if random.chance(10) { (parent, twin) = (one, other) }
            }
        }
        #expect(children > 0)
    }
}
