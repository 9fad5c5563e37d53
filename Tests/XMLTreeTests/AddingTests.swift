// A child made in place is the same as one that is built and added, and so are the errors.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct AddingTests {
    @Test func aChildIsMadeInPlace() throws {
        let message = try MutableElement("message", namespace: "jabber:client")
        let body = try message.addChild("body", attributes: ["xml:lang": "en"], text: "Wherefore art thou?")
        try body.addChild("b", text: "x").addChild("c", namespace: "u", attributes: ["k": nil])
        try message.addChild("thread")
        #expect(
            message.xmlString(in: .clientStream)
                == "<message><body xml:lang='en'>Wherefore art thou?<b>x<c xmlns='u'/></b></body><thread/></message>")
        #expect(body === message.firstChild)
    }

    @Test func theDocumentedChild() throws {
        let roster = try MutableElement("query", namespace: "jabber:iq:roster")
        try roster.addChild("item", attributes: ["jid": "juliet@example.com", "name": "Juliet"])
        #expect(
            roster.xmlString()
                == "<query xmlns='jabber:iq:roster'><item jid='juliet@example.com' name='Juliet'/></query>")
    }

    /// A parent that waits for its namespace gives it to such children later.
    @Test func childrenWaitWithTheirParent() throws {
        let query = try MutableElement("query")
        try query.addChild("item", attributes: ["jid": "a"])
        try query.addChild("other", namespace: .empty)
        let added = try MutableElement("iq", namespace: "jabber:client").add(query)
        #expect(added.children.map(\.namespace) == ["jabber:client", nil])
    }

    private static let names = [
        "a", "b", "é", "long-name-of-an-element", "p:a", "xml:a", "1", "", "a b", "a:b:c", "{u}a",
    ]
    private static let namespaces: [ElementNamespace] = [
        .inherited, .inherited, .inherited, .empty, "u", "jabber:client", "", "bad\u{1}", .uri(XMLNamespace.xmlns),
        .uri(XMLNamespace.xml),
    ]
    private static let keys = [
        "k", "id", "type", "xml:lang", "{urn:n}k", "p:k", "xmlns", "xmlns:p", "1", "é", "k\u{301}",
    ]
    private static let values: [String?] = [
        "", "v", nil, "e\u{301}", "bad\u{1}", String(repeating: "long ", count: 50),
    ]
    private static let parents = [
        "<r/>", "<r xmlns='u' a='b'>t<p:x xmlns:p='v'/></r>", "<p:r xmlns:p='urn:n' p:k='v'/>",
    ]

    @Test func agreesWithBuildingAndAdding() throws {
        var (children, errors, steps) = (0, 0, 0)
        for round in 0..<SeededGenerator.cases(default: 150) {
            var random = SeededGenerator(salt: UInt64(round))
            let start =
                random.chance(60)
                ? try Element(parsing: random.pick(Self.parents), in: .clientStream).thaw()
                : random.chance(50) ? try MutableElement("r") : try RandomTree.make(using: &random)
            let (one, other) = (start, start.copy())
            var (parent, twin) = (one, other)
            for step in 0..<40 {
                let isGood = random.chance(60)
                let name = isGood ? random.pick(["a", "b", "é"]) : random.pick(Self.names)
                let namespace = isGood ? random.pick([.inherited, .empty, "u"]) : random.pick(Self.namespaces)
                let pairs = (0..<Int.random(in: 0...3, using: &random)).map { index in
                    isGood ? ("k\(index)", "v") : (random.pick(Self.keys), random.pick(Self.values))
                }
                let text = isGood ? "x" : random.pick(Self.values)
                let attributes = AttributeValues(pairs)
                let built = Result { () throws(XMLTreeError) in
                    twin.add(try MutableElement(name, namespace: namespace, attributes: attributes, text: text))
                }
                let added = Result { () throws(XMLTreeError) in
                    try parent.addChild(name, namespace: namespace, attributes: attributes, text: text)
                }
                let place: Comment = "seed \(SeededGenerator.seed), round \(round), step \(step)"
                switch (built, added) {
                case (.failure(let expected), .failure(let error)):
                    #expect(error == expected, place)
                    errors += 1
                case (.success(let expected), .success(let child)):
                    #expect(child.xmlString() == expected.xmlString(), place)
                    if random.chance(30) { (parent, twin) = (child, expected) }
                    children += 1
                default: Issue.record("\(place): \(built), \(added)")
                }
                #expect(one.xmlString() == other.xmlString() && one.freeze() == other.freeze(), place)
                #expect(one.tree.knownSize(of: one.index) == one.tree.reader(at: one.index).sizeOfCopy)
                if random.chance(10) { (parent, twin) = (one, other) }
                steps += 1
            }
        }
        #expect(children > steps / 4 && errors > steps / 20)
    }
}
