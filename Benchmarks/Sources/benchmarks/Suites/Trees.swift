// Operations on trees other than queries: building, freezing, copying, writing. TreeSuite.swift measures them beside
// peers, and CountedWorks.swift counts them.

import StanzaQuery

enum Trees {
    /// A document with a number of elements of ten bytes.
    static func text(of size: Int) -> String {
        "<a xmlns='urn:x'>" + String(repeating: "<b c='d'/>", count: size - 1) + "</a>"
    }

    /// A chat message as a client builds it: five elements. Peers build the same.
    @inline(never)
    static func build(_ identifier: String = "m1", _ origin: String = "o1") throws -> MutableElement {
        MutableElement(
            "message", namespace: "jabber:client",
            attributes: ["type": "chat", "to": "romeo@example.net/orchard", "id": identifier]
        ) {
            MutableElement("body", text: "Wherefore art thou, Romeo?")
            MutableElement("active", namespace: "http://jabber.org/protocol/chatstates")
            MutableElement("request", namespace: "urn:xmpp:receipts")
            MutableElement("origin-id", namespace: "urn:xmpp:sid:0", attributes: ["id": origin])
        }
    }

    /// Builds an element without children, with four attributes.
    @inline(never)
    static func buildLeaf(_ identifier: String) throws -> MutableElement {
        MutableElement(
            "iq", attributes: ["type": "get", "to": "example.net", "from": "romeo@example.net", "id": identifier])
    }

    /// Builds an element with this number of children, each made in place, and returns their number.
    @inline(never)
    static func addChildren(_ count: Int) throws -> Int {
        let root = MutableElement("r")
        var last = root
        for _ in 0..<count { last = root.addChild("a", attributes: ["b": "c"]) }
        return last.childIndex + 1
    }

    /// The same with children that are built and then copied in.
    @inline(never)
    static func buildChildren(_ count: Int) throws -> Int {
        let root = MutableElement("r")
        var last = root
        for _ in 0..<count { last = root.add(MutableElement("a", attributes: ["b": "c"])) }
        return last.childIndex + 1
    }

    @inline(never)
    static func write(_ elements: [Element]) -> Int {
        elements.reduce(0) { $0 + $1.xmlBytes(in: .clientStream).count }
    }

    /// Copies whose storage has no other references.
    @inline(never)
    static func copy(_ elements: [Element]) -> Int {
        elements.reduce(0) { $0 + ($1.copy().isSame(as: $1) ? 0 : 1) }
    }

    @inline(never)
    static func thaw(_ elements: [Element]) -> Int {
        elements.reduce(0) { $0 + ($1.thaw().name.isEmpty ? 0 : 1) }
    }

    @inline(never)
    static func freeze(_ elements: [MutableElement]) -> Int {
        elements.reduce(0) { $0 + ($1.freeze().name.isEmpty ? 0 : 1) }
    }
}
