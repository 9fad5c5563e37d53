// The stanza that returns an answer to the sender of its form (XEP-0004 §3.1).

public import FormModel

extension DataForm {
    /// Makes the stanza that returns this form, an answer, to the sender of the form in a stanza.
    ///
    /// An IQ of type `set` answers an IQ; a message of the same thread answers a message. The answer copies the
    /// elements around the form, without their other content. A command (XEP-0050) keeps its node and session, and
    /// canceling a form cancels the command.
    ///
    /// If the stanza has several forms, the answer replaces the one that it was made from, or else an equal one. It
    /// replaces the first if this form was not made by `submission(_:)`, `FormAnswer` or `cancellation()` of one of
    /// them.
    ///
    /// ```swift
    /// let answer = try form.submission(["public": "true"]).reply(to: stanza, id: "create2")
    /// ```
    ///
    /// - Parameters:
    ///   - stanza: The stanza that brought the form, at any depth.
    ///   - id: The `id` of the answer.
    /// - Returns: `nil` when the stanza does not contain a form.
    /// - Throws: `XMLTreeError` for text that XML cannot hold.
    public func reply(to stanza: Element, id: String?) throws(XMLTreeError) -> MutableElement? {
        guard let path = path(toFormIn: stanza) else { return nil }
        let isIQ = stanza.name == "iq"
        let attributes: AttributeValues = [
            "type": isIQ ? "set" : stanza["type"], "id": id, "to": stanza["from"], "from": stanza["to"],
        ]
        let reply = try MutableElement(
            stanza.name, namespace: stanza.namespace.map { .uri($0) } ?? .empty, attributes: attributes)
        if let thread = stanza.child("thread"), !isIQ { reply.add(thread.copy()) }
        var place = reply
        for wrapper in path { place = place.add(try emptied(wrapper)) }
        place.add(try element())
        return reply
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

    private func emptied(_ wrapper: Element) throws(XMLTreeError) -> MutableElement {
        let copy = wrapper.shallowCopy().thaw()
        if wrapper.name == "command", wrapper.namespace == "http://jabber.org/protocol/commands" {
            for name in ["status", "action"] { copy.removeAttribute(name) }
            if kind == .cancel { try copy.setAttribute("action", to: "cancel") }
        }
        return copy
    }
}
