// The parts of a small XMPP client that the examples need.

import HandlerMacros
import StanzaQuery

/// An object that only a running program has. Handlers get it at the call.
actor Account {
    nonisolated let jid: String
    nonisolated let omemo: Omemo?
    nonisolated let avatars = Avatars()
    private(set) var usesCarbons = false
    private(set) var errors: [String] = []
    private(set) var contacts: [String] = []
    private(set) var sent: [(iq: Element, handler: Handler)] = []

    init(jid: String = "juliet@example.net", omemo: Omemo? = nil) {
        self.jid = jid
        self.omemo = omemo
    }

    func useCarbons() { usesCarbons = true }

    func post(error: String) { errors.append(error) }

    func add(contacts: [String]) { self.contacts += contacts }

    func send(_ iq: Element, _ handler: Handler) { sent.append((iq, handler)) }
}
