// A connection that breaks within an element: the core ignores an incomplete element.

import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct CutTests {
    /// Each element of stream management that a server sends, and the state in which it comes.
    private static let elements: [(state: String, xml: String)] = [
        ("enabling", "<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true' max='600'/>"),
        ("enabling", "<failed xmlns='urn:xmpp:sm:3'><x xmlns='urn:x'/></failed>"),
        ("enabled", "<a xmlns='urn:xmpp:sm:3' h='2'/>"),
        ("enabled", "<r xmlns='urn:xmpp:sm:3'/>"),
        ("enabled", "<message id='in2'><body>Ho\u{df}</body></message>"),
        ("resuming", "<resumed xmlns='urn:xmpp:sm:3' previd='s1' h='1'/>"),
        ("resuming", "<failed xmlns='urn:xmpp:sm:3' h='1'><x xmlns='urn:x'/></failed>"),
    ]

    @Test func everyByte() throws {
        for (state, xml) in Self.elements {
            let bytes = Array(xml.utf8)
            for length in 0...bytes.count {
                let core = StateTable.core(in: state, for: StateTable.Row(name: "", event: .close))
                var parser = XMLStreamParser(mode: .stream)
                parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
                parser.feed(bytes[..<length])
                var received = 0
                while let event = try parser.next() {
                    guard case .element(let element, _) = event else { continue }
                    core.handle(.received(element))
                    received += 1
                }
                #expect(received == (length == bytes.count ? 1 : 0))
                core.handle(.transportLost)

                let other = StateTable.core(in: state, for: StateTable.Row(name: "", event: .close))
                if length == bytes.count { other.handle(.received(try Element(stanza: xml))) }
                other.handle(.transportLost)
                #expect(core.state == other.state)
                #expect(core.unacknowledged == other.unacknowledged)
                #expect(core.handled == other.handled)
            }
        }
    }
}
