// The stanza whose form is asked for.

import DataForms
import XMLTree

/// A stanza with a form.
struct FormStanza {
    let stanza: Element
    let form: DataForm

    /// `nil` when there is no form in the stanza.
    init?(_ stanza: Element) {
        guard let form = Self.firstForm(in: stanza) else { return nil }
        self.stanza = stanza
        self.form = form
    }

    /// The first form in document order, the stanza itself included.
    private static func firstForm(in stanza: Element) -> DataForm? {
        var next: Element? = stanza
        while let element = next {
            if let form = DataForm(element) { return form }
            next = element.firstChild ?? following(element, within: stanza)
        }
        return nil
    }

    private static func following(_ element: Element, within stanza: Element) -> Element? {
        var element = element
        while !element.isSame(as: stanza) {
            if let sibling = element.nextSibling { return sibling }
            guard let parent = element.parent else { return nil }
            element = parent
        }
        return nil
    }

    /// What sends an answer: a stanza, or the form alone when the input was a form alone.
    func reply(with answer: DataForm, id: String) throws(XMLTreeError) -> Element {
        if let reply = try answer.reply(to: stanza, id: id) { return reply.freeze() }
        return try answer.element()
    }
}
