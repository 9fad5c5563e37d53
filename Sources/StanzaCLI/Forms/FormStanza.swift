// The stanza with the form to answer, and the choice of the form in it.

import DataForms
import XMLTree

struct FormStanza {
    let stanza: Element
    let form: DataForm
    /// The number of forms in the stanza.
    let count: Int
    private let element: Element

    /// Creates the stanza with its chosen form; `nil` when the stanza does not contain that form.
    ///
    /// - Parameter number: The form's number in document order, counted from 1.
    init?(_ stanza: Element, form number: Int) {
        let forms = Self.forms(in: stanza)
        guard forms.indices.contains(number - 1), let form = DataForm(forms[number - 1]) else { return nil }
        self.stanza = stanza
        self.form = form
        count = forms.count
        element = forms[number - 1]
    }

    /// The forms in document order, including the stanza itself. Forms inside a form are part of it.
    static func forms(in stanza: Element) -> [Element] {
        var forms: [Element] = []
        var next: Element? = stanza
        while let element = next {
            let isForm = DataFormElement(element) != nil
            if isForm { forms.append(element) }
            next = (isForm ? nil : element.firstChild) ?? following(element, within: stanza)
        }
        return forms
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

    /// The element that submits an answer: a stanza, or the form alone when the input was a form alone.
    func reply(with answer: DataForm, id: String) throws(FormReplyError) -> Element {
        if !element.isSame(as: stanza), let reply = try answer.reply(to: stanza, id: id) { return reply.freeze() }
        do { return try answer.element() } catch { throw .text(error) }
    }
}
