// The last stanzas that have left the queue: an error of their recipient may still come.

import XMLTree
import XMPPCore

/// The last acknowledged stanzas, so that an error finds the stanza that it answers.
///
/// An acknowledgement says that the server has the stanza. Its recipient, or the recipient's server, may still refuse
/// it, and answers with an error then (RFC 6120 §8.3).
struct AcknowledgedStanzas {
    /// How many stanzas it remembers. An error comes seconds after its stanza, and no session sends a thousand in that
    /// time.
    static let maximumCount = 1000
    /// How many bytes they may take in memory, except for the last one.
    static let maximumBytes = 1 << 18

    private var stanzas: [OutgoingStanza] = []
    /// Those before it are forgotten.
    private var head = 0
    private var weight = 0

    /// The number of remembered stanzas.
    var count: Int { stanzas.count - head }

    mutating func append(_ stanza: OutgoingStanza) {
        // No error could name it.
        guard stanza.element.hasID else { return }
        stanzas.append(stanza)
        weight += stanza.weight
        while count > Self.maximumCount || (weight > Self.maximumBytes && count > 1) { removeFirst() }
    }

    private mutating func removeFirst() {
        weight -= stanzas[head].weight
        head += 1
        guard head > Self.maximumCount else { return }
        stanzas.removeFirst(head)
        head = 0
    }

    /// Removes and returns the last stanza that an error answers.
    mutating func take(answeredBy error: Element, own address: String?) -> OutgoingStanza? {
        let position = stanzas[head...].lastIndex { error.answers($0.element, own: address) }
        guard let position else { return nil }
        let stanza = stanzas.remove(at: position)
        weight -= stanza.weight
        return stanza
    }
}

extension Element {
    fileprivate var hasID: Bool { read { $0.view.attribute(qualified: Keys.id, of: $0.index) != nil } }

    /// Whether the stanza is an error, which answers another stanza.
    var isError: Bool {
        read { reader in
            guard let type = reader.view.attribute(qualified: Keys.type, of: reader.index) else { return false }
            return reader.view.string(type).elementsEqual("error".utf8)
        }
    }

    /// Whether an error answers a stanza that was sent: it has its kind and its `id`, and comes from its recipient.
    ///
    /// - Parameter address: The own address.
    func answers(_ sent: Element, own address: String?) -> Bool {
        guard let id = self["id"], let other = sent["id"], id.utf8.elementsEqual(other.utf8), name == sent.name else {
            return false
        }
        return Self.isAddress(self["from"], ofRecipient: sent["to"], own: address)
    }

    /// Whether an address may answer for a recipient: it is the same, or one of both has no resource. Another occupant
    /// of a room must not answer.
    ///
    /// The server answers a stanza without `to`: without `from`, or with the own address or its domain.
    private static func isAddress(
        _ sender: String?, ofRecipient recipient: String?, own address: String?
    ) -> Bool {
        guard let sender else { return recipient == nil }
        guard let recipient else {
            guard let from = LenientAddress(sender), let own = address.flatMap(LenientAddress.init) else {
                return false
            }
            return from == own || from == own.bare || from == own.server
        }
        if sender.utf8.elementsEqual(recipient.utf8) { return true }
        guard let from = LenientAddress(sender), let to = LenientAddress(recipient), from.bare == to.bare else {
            return false
        }
        return from.resource == nil || to.resource == nil || from == to
    }
}
