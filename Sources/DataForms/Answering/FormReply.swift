// The stanza that returns an answer to the sender of its form (XEP-0004 §3.1), and the error that reports a rejected
// submission (§4).

public import FormModel
import XMPPCore

extension DataForm {
    /// Makes the stanza that returns this form, an answer, to the sender of the form in a stanza.
    ///
    /// An IQ of type `set` answers an IQ, and a CAPTCHA in a message (XEP-0158 §3). A message of the same thread
    /// answers any other message, in a room to the room. The answer copies the elements around the form, without their
    /// other content. A command (XEP-0050) keeps its node and session, and canceling a form cancels the command.
    ///
    /// If the form came in a forwarded stanza (XEP-0297), such as a carbon or a result of an archive, the answer goes
    /// to the sender of that stanza. It copies no element around it. A carbon must come from the account itself:
    /// it has no `from`, or the address in `to` without its resource (XEP-0280 §11).
    ///
    /// If the stanza has several forms, the answer replaces the one that it was made from, or else an equal one. It
    /// replaces the first if this form was not made by `submission(_:)`, `FormAnswer` or `cancellation()` of one of
    /// them.
    ///
    /// ```swift
    /// let answer = try form.submission(["public": "true"]).reply(to: stanza, id: "create2")
    /// ```
    ///
    /// A client's answer has no `from`, which its server adds (RFC 6120 §8.1.2.1). That of a server or a component has
    /// the address that the form was sent to.
    ///
    /// - Parameters:
    ///   - stanza: The stanza that brought the form, at any depth.
    ///   - id: The `id` of the answer.
    /// - Returns: `nil` when the stanza does not contain a form.
    /// - Throws: `FormReplyError` for a stanza that has no answer, and for text that XML cannot hold.
    public func reply(to stanza: Element, id: String?) throws(FormReplyError) -> MutableElement? {
        guard let around = path(toFormIn: stanza) else { return nil }
        let path = [stanza] + around
        // Only a stanza that was forwarded is another one: a payload may have an element called `message`.
        let place = path.indices.last { $0 > 0 && path[$0].isStanza && path[$0 - 1].isForwarding } ?? 0
        let received = path[place]
        let wrappers = path[(place + 1)...]
        if path[...place].contains(where: { $0.isStanza && $0["type"] == "error" }) { throw .error }
        if path[..<place].indices.contains(where: { isStrangersCarbon(path[$0], in: path[..<$0].last, to: stanza) }) {
            throw .strangersCarbon
        }
        if received.name == "presence" { throw .presence }
        if path[place...].contains(where: \.isForwarding) { throw .forwardedForm }
        do throws(XMLTreeError) {
            let envelope = stanza.isStanza ? stanza : received
            return try reply(to: received, wrappers, id: id, namespace: envelope.namespace)
        } catch {
            throw .text(error)
        }
    }

    /// - Parameters:
    ///   - received: The innermost stanza with the form.
    ///   - wrappers: The elements between that stanza and the form.
    private func reply(
        to received: Element, _ wrappers: ArraySlice<Element>, id: String?, namespace: String?
    ) throws(XMLTreeError) -> MutableElement {
        let isCaptcha = wrappers.contains { $0.isNamed("captcha", "urn:xmpp:captcha") }
        let isMessage = received.name == "message" && !isCaptcha
        // A service refuses a message of type 'groupchat' to an occupant (XEP-0045 §7.4).
        let sender = received["type"] == "groupchat" ? received["from"]?.withoutResource : received["from"]
        let attributes: AttributeValues = [
            "type": isMessage ? received["type"] : "set", "id": id, "to": sender,
            "from": XMLNamespace.needsSender(namespace) ? received["to"] : nil,
        ]
        let reply = MutableElement(
            isCaptcha ? "iq" : XMLName(known: received.name), namespace: namespace.map { .uri($0) } ?? .empty,
            attributes: attributes)
        if let thread = received.child("thread"), isMessage { reply.add(thread.copy()) }
        var place = reply
        for wrapper in wrappers { place = place.add(emptied(wrapper)) }
        place.add(try element())
        return reply
    }

    /// Whether an element is a carbon in a stanza from another account than the one that got the outermost stanza.
    private func isStrangersCarbon(_ element: Element, in carrier: Element?, to outermost: Element) -> Bool {
        let isCarbon = ["received", "sent"].contains { element.isNamed($0, "urn:xmpp:carbons:2") }
        guard isCarbon, let carrier, let sender = carrier["from"] else { return false }
        let account = (outermost["to"] ?? carrier["to"])?.withoutResource
        return account.map { !$0.isIdentical(to: sender) } ?? true
    }

    /// The elements between a stanza and the form that this one answers.
    private func path(toFormIn stanza: Element) -> [Element]? {
        guard let answered else { return Self.path(toFormIn: stanza) { _ in true } }
        return Self.path(toFormIn: stanza, answered.isSame) ?? Self.path(toFormIn: stanza) { $0 == answered }
            ?? Self.path(toFormIn: stanza) { _ in true }
    }

    /// The elements between a stanza and its first form of some kind.
    private static func path(toFormIn stanza: Element, _ isWanted: (Element) -> Bool) -> [Element]? {
        var open: [Element] = []
        var next = stanza.firstChild
        while true {
            guard let element = next else {
                guard let last = open.popLast() else { return nil }
                next = last.nextSibling
                continue
            }
            if DataFormElement(element) != nil, isWanted(element) { return open }
            if let child = element.firstChild {
                open.append(element)
                next = child
            } else {
                next = element.nextSibling
            }
        }
    }

    private func emptied(_ wrapper: Element) -> MutableElement {
        let copy = wrapper.shallowCopy().thaw()
        if wrapper.isNamed("command", "http://jabber.org/protocol/commands") {
            for name: XMLName in ["status", "action"] { copy[name] = nil }
            if kind == .cancel { copy["action"] = "cancel" }
        }
        return copy
    }
}

extension Element {
    /// Whether the element is an `iq`, `message` or `presence` of a stream. Code that builds one may omit the
    /// namespace.
    fileprivate var isStanza: Bool {
        ["iq", "message", "presence"].contains(name)
            && [nil, Namespaces.client, Namespaces.server, Namespaces.component].contains(namespace)
    }

    fileprivate var isForwarding: Bool { isNamed("forwarded", "urn:xmpp:forward:0") }

    fileprivate func isNamed(_ name: String, _ namespace: String) -> Bool {
        self.name == name && self.namespace == namespace
    }
}

/// The reason why the form in a stanza cannot be answered.
public enum FormReplyError: Error, Sendable, Hashable {
    /// The stanza is of type `error`, or forwards a stanza of that type. It returns the form to the form's sender.
    case error
    /// The form came in presence.
    case presence
    /// The form was forwarded (XEP-0297) outside of a stanza, so that it has no sender.
    case forwardedForm
    /// The form came in a carbon (XEP-0280) from another account, which may have forged it.
    case strangersCarbon
    /// XML cannot hold a text of the answer.
    case text(XMLTreeError)
}

extension FormReplyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .error: "the stanza is an error, which is not answered: answer the stanza that brought the form"
        case .presence: "presence is not answered: expected the form in an iq or a message"
        case .forwardedForm:
            "the form is forwarded without its stanza, so its sender is unknown: answer the stanza that brought it"
        case .strangersCarbon:
            "the carbon is not from the account itself, so it may be forged (XEP-0280, 11): expected no 'from', or the "
                + "address in 'to' without its resource"
        case .text(let error): error.description
        }
    }
}

/// The reason for rejecting a submission: one or more problems.
public struct FormRejection: Error, Sendable, Hashable {
    public let problems: [FormProblem]

    public init(problems: [FormProblem]) {
        self.problems = problems
    }

    /// Makes the `<error/>` for the answer to an IQ stanza: `not-acceptable`, of type `modify`, with the problems as
    /// text.
    ///
    /// It has no namespace yet, and takes the namespace of the stanza that you add it to.
    ///
    /// - Parameter language: The language of the labels in the problems, as in `xml:lang`.
    public func errorElement(language: String = "en") -> MutableElement {
        let namespace = ElementNamespace.uri(Namespaces.stanzaErrors)
        let condition = MutableElement("not-acceptable", namespace: namespace)
        let text = MutableElement(
            "text", namespace: namespace, attributes: ["xml:lang": language], text: description)
        return MutableElement("error", attributes: ["type": "modify"], children: [condition, text])
    }
}

extension FormRejection: CustomStringConvertible {
    /// The problems, each a sentence.
    public var description: String { problems.map(\.description).joined(separator: " ") }
}

extension FormProblem {
    /// Makes the `<error/>` for an answer with this only problem. See `FormRejection.errorElement(language:)`.
    public func errorElement(language: String = "en") -> MutableElement {
        FormRejection(problems: [self]).errorElement(language: language)
    }
}
