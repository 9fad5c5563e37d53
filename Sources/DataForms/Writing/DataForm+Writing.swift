// Writes forms: as new elements, or over the elements that they were read from.

public import FormModel

extension DataForm {
    /// Returns the form as an element, the root of a new tree, which you add to a stanza.
    ///
    /// ```swift
    /// let query = try MutableElement("query", namespace: "jabber:iq:search") { try form.element() }
    /// ```
    ///
    /// A form that was read keeps its original XML, except for later changes. Linear in the form.
    ///
    /// - Throws: `XMLTreeError` for text that XML cannot hold, such as control characters.
    public func element() throws(XMLTreeError) -> Element {
        guard let origin else { return try newElement() }
        return try changed(origin) ?? origin.copy()
    }

    /// Forgets the element that the form was read from, with all content that has no property: content of other
    /// specifications, and the written form with its faults. It also releases the stanza.
    public mutating func forgetElement() {
        origin = nil
    }

    /// The form's XML, for reading: the element it was read from, with the changes since. `nil` for a form that was not
    /// read.
    var writtenElement: Element? {
        guard let origin else { return nil }
        return (try? changed(origin)) ?? origin
    }

    /// Returns the element with the changes, or `nil` when nothing was changed.
    private func changed(_ origin: Element) throws(XMLTreeError) -> Element? {
        let old = DataForm(reading: origin._formPlace)
        if old == self { return nil }
        let editable = origin.thaw()
        try patch(editable, from: old)
        return editable.freeze()
    }
}

extension DataForm: FormPart {
    /// Writes the parts in the order of the specifications' examples.
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.form)
        try assembler.attribute(.type, rawKind)
        if let title { try assembler.element(.title, text: title) }
        for line in instructions { try assembler.element(.instructions, text: line) }
        for page in pages { try page.write(to: &assembler) }
        for field in fields { try field.write(to: &assembler) }
        if let reported { try FieldList(name: .reported, fields: reported).write(to: &assembler) }
        for item in items { try FieldList(name: .item, fields: item.fields).write(to: &assembler) }
        for element in extensions { assembler.add(element) }
        assembler.end()
    }

    /// Updates an element from an older form to this one. Changes nothing if XML cannot hold this form.
    func patch(_ element: MutableElement, from old: DataForm) throws(XMLTreeError) {
        // Write the whole form once: if that succeeds, no change below can fail.
        _ = try newElement()
        let patch = ElementPatch(element, order: [.title, .instructions, .page, .field, .reported, .item])
        try patch.attribute(.type, from: old.rawKind, to: rawKind)
        try patch.only(
            .title, from: old.title.map { .init(name: .title, text: $0) },
            to: title.map { TextPart(name: .title, text: $0) })
        try patch.all(
            .instructions, from: old.instructions.map { TextPart(name: .instructions, text: $0) },
            to: instructions.map { TextPart(name: .instructions, text: $0) })
        try patch.all(.page, from: old.pages, to: pages)
        try patch.all(.field, from: old.fields, to: fields)
        try patch.only(
            .reported, from: old.reported.map { FieldList(name: .reported, fields: $0) },
            to: reported.map { FieldList(name: .reported, fields: $0) })
        try patch.all(
            .item, from: old.items.map { FieldList(name: .item, fields: $0.fields) },
            to: items.map { FieldList(name: .item, fields: $0.fields) })
        try patch.foreign(from: old.extensions, to: extensions)
    }
}
