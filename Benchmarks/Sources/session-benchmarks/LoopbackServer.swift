// A server that lets everybody in and does stream management right, and nothing else, on a thread of this process.

import Foundation
import Glibc
import Synchronization
import XMLTree

/// Counts the messages that come, and sends as many as it is asked for. It parses with our own parser.
final class LoopbackServer: Sendable {
    private struct State {
        /// Bytes in both directions.
        var traffic = 0
        /// How many messages the next client gets that sends its presence.
        var wanted = 0
        /// Receives the number of acknowledged messages.
        var acknowledgements: AsyncStream<Int>.Continuation?
    }

    let port: UInt16
    private let state = Mutex(State())

    init() throws {
        let (listening, port) = try LoopbackSocket.listening()
        self.port = port
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listening, nil, nil)
                if descriptor < 0 { return }
                let socket = LoopbackSocket(accepted: descriptor)
                Thread.detachNewThread { [self] in
                    // A client's error ends its connection.
                    try? serve(socket)
                    socket.shutDown()
                }
            }
        }
    }

    /// The bytes so far.
    var traffic: Int { state.withLock { $0.traffic } }

    /// Sends so many messages to the next client that sends its presence. Returns the client's acknowledgements as they
    /// arrive.
    func acknowledgements(sending count: Int) -> AsyncStream<Int> {
        let (acknowledgements, continuation) = AsyncStream.makeStream(of: Int.self)
        state.withLock { state in
            state.wanted = count
            state.acknowledgements = continuation
        }
        return acknowledgements
    }

    // MARK: Connections

    private static let header = """
        <stream:stream from='localhost' id='1' version='1.0' xmlns='jabber:client' \
        xmlns:stream='http://etherx.jabber.org/streams'><stream:features>
        """
    private static let mechanisms =
        "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms></stream:features>"
    private static let features =
        "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/></stream:features>"

    private func serve(_ socket: LoopbackSocket) throws {
        var parser = XMLStreamParser(mode: .stream)
        var isKnown = false
        var count = 0
        while let bytes = socket.read() {
            state.withLock { $0.traffic += bytes.count }
            parser.feed(bytes)
            var answer = ""
            while let event = try parser.next() {
                switch event {
                case .streamStart: answer += Self.header + (isKnown ? Self.features : Self.mechanisms)
                case .element(let element, _) where element.name == "auth":
                    answer += "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"
                    isKnown = true
                    parser = XMLStreamParser(mode: .stream)
                case .element(let element, _): answer += hear(element, &count)
                case .rejected(let stanza): throw stanza.error
                case .streamEnd: return
                }
            }
            try socket.write(Array(answer.utf8))
            state.withLock { $0.traffic += answer.utf8.count }
        }
    }

    /// The answer to an element.
    private func hear(_ element: Element, _ count: inout Int) -> String {
        switch element.name {
        case "iq":
            return """
                <iq type='result' id='\(element["id"] ?? "")'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>\
                <jid>alice@localhost/1</jid></bind></iq>
                """
        case "enable": return "<enabled xmlns='urn:xmpp:sm:3' id='\(UUID().uuidString)' resume='true' max='600'/>"
        case "r": return "<a xmlns='urn:xmpp:sm:3' h='\(count)'/>"
        case "a":
            let handled = element["h"].flatMap(Int.init) ?? 0
            _ = state.withLock { $0.acknowledgements?.yield(handled) }
            return ""
        case "presence":
            count += 1
            let wanted = state.withLock { state in
                defer { state.wanted = 0 }
                return state.wanted
            }
            return String(repeating: Message.text, count: wanted)
        default:
            count += 1
            return ""
        }
    }
}
