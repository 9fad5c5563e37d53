// The messages of a scene: the texts that the client has to echo, the numbers that it was asked for, and the
// invariants of their arrival. It may not know connections. The reference server asks it for each stanza; Scene.swift
// reads its state.

import StreamReference
import XMLTree

final class SceneRecord: ServerRecord {
    typealias Session = ServerSession<SceneLink>

    private let account: TortureAccount
    /// The texts of the pings, which were sent in this order, and their stanzas.
    private var texts: [String] = []
    private var stanzas: [String: String] = [:]
    private var echoed: Set<String> = []
    private(set) var highestNumber = 0
    private var numbers: Set<Int> = []
    /// The last number in a session.
    private var last: [String: Int] = [:]
    /// The texts that each session has brought.
    private var arrived: [String: Set<String>] = [:]
    /// The numbers that the server has acknowledged although their session is over.
    private(set) var settled: Set<String> = []
    /// The types of the stanzas that came, by their ids.
    private(set) var types: [String: String] = [:]
    private(set) var count = 0
    /// The last stamp (XEP-0203) that names the sender.
    private(set) var stampWithSender: String?
    private static let mostStanzas = 20_000

    init(account: TortureAccount) { self.account = account }

    // MARK: To the client

    private func add(_ stanza: (_ id: String) -> String) -> String {
        let id = "t\(stanzas.count + 1)"
        stanzas[id] = stanza(id)
        return id
    }

    private func message(_ id: String, _ body: String) -> String {
        "<message from='tester@\(account.domain)/torture' to='\(account.address)' type='chat' id='\(id)'>"
            + "<body>\(body)</body></message>"
    }

    /// The next message that the client has to echo.
    ///
    /// - Parameter text: Its text as XML; without, its number.
    func ping(_ text: String? = nil) throws(Violation) -> String {
        let body = "ping \(text ?? "\(texts.count + 1)")"
        do {
            texts.append(try Element(stanza: "<body>\(body)</body>").text ?? "")
        } catch {
            throw Violation("the scenario has well-formed text", body)
        }
        return add { message($0, body) }
    }

    func ask(_ count: Int) -> String {
        let first = highestNumber + 1
        highestNumber += count
        return add { message($0, "send \(first) \(highestNumber)") }
    }

    /// A stanza of the scenario. `ID` in it is its id.
    func other(_ xml: String) -> String { add { xml.replacing("ID", with: $0) } }

    func stanza(_ id: String) -> String { stanzas[id] ?? "" }

    /// The server's reply to a request of the client.
    func reply(to request: Element) -> String? {
        guard request.name == "iq", let type = request["type"], type == "get" || type == "set" else { return nil }
        let id = Names.escaped(request["id"] ?? "")
        let from = request["to"].map { " from='\(Names.escaped($0))'" } ?? ""
        let payload = request.firstChild
        let namespace = payload?.namespace ?? ""
        let content: String? =
            switch namespace {
            case "jabber:iq:roster" where type == "get", "http://jabber.org/protocol/disco#info",
                "http://jabber.org/protocol/disco#items":
                "<query xmlns='\(namespace)'/>"
            case Names.session, "urn:xmpp:ping", "urn:xmpp:carbons:2": ""
            default: nil
            }
        guard let content else {
            return add { _ in
                "<iq type='error' id='\(id)'\(from)><error type='cancel'><service-unavailable xmlns='\(Names.stanzas)'/>"
                    + "</error></iq>"
            }
        }
        return add { _ in "<iq type='result' id='\(id)'\(from)>\(content)</iq>" }
    }

    // MARK: From the client

    func answer(toBinding element: Element) -> String? {
        guard element.name == "iq", element["type"] == "set", element.namespace == Names.client,
            let bind = element.child("bind", namespace: .uri(Names.bind))
        else { return nil }
        let resource = bind.child("resource")?.text ?? ""
        let address = "\(account.address)/\(resource.isEmpty ? "torture" : resource)"
        return "<iq type='result' id='\(Names.escaped(element["id"] ?? ""))'><bind xmlns='\(Names.bind)'><jid>"
            + "\(Names.escaped(address))</jid></bind></iq>"
    }

    /// The text of a message, or a name that no other stanza has.
    func id(of stanza: Element) throws(Violation) -> String {
        count += 1
        if count > Self.mostStanzas { throw Violation("a client sends a bounded number of stanzas", "\(count)") }
        if stanza.name == "message", stanza["type"] != "error", let text = stanza.child("body")?.text { return text }
        return "\(stanza.name) #\(count)"
    }

    func mayRefuse(_ id: String) -> Bool { true }

    func begin(_ session: Session, on link: SceneLink) {}

    func serverSentUncounted(_ id: String) {}

    func bounced(_ ids: ArraySlice<String>, from session: String, besideLeftLink isLeft: Bool) {}

    func serverReceived(_ stanza: Element, id: String, in session: Session?) throws(Violation) {
        if let id = stanza["id"] { types[id] = stanza["type"] ?? "" }
        guard !id.contains("#") else { return }
        let place = session?.id ?? ""
        if let stamp = stanza.child("delay", namespace: .uri("urn:xmpp:delay")), stamp["from"] != nil {
            stampWithSender = stamp.description
        }
        if settled.contains(id) { throw Violation("an acknowledged stanza is not sent again", id) }
        // In a later session, both a stanza that is sent again and the answer to a message that comes again are right.
        let isNew = arrived[place, default: []].insert(id).inserted
        guard isNew || session == nil || arrived.contains(where: { $0.key != place && $0.value.contains(id) }) else {
            throw Violation("each stanza arrives once", id)
        }
        if let number = Int(id) {
            guard number >= 1, number <= highestNumber else {
                throw Violation("the client sends only requested numbers", id)
            }
            if let last = last[place], number < last {
                throw Violation("stanzas arrive in their order", "\(number) after \(last)")
            }
            last[place] = number
            numbers.insert(number)
        } else if id.hasPrefix("ping ") {
            guard texts.contains(id) else { throw Violation("the echo has the text of the message", id) }
            echoed.insert(id)
        }
    }

    /// The server has acknowledged these although their session is over.
    func settle(_ ids: [String]) { settled.formUnion(ids.filter { Int($0) != nil }) }

    var missingEcho: String? { texts.first { !echoed.contains($0) } }

    var missingNumbers: [Int] { highestNumber == 0 ? [] : (1...highestNumber).filter { !numbers.contains($0) } }
}
