// Writes forms, with their fields, options, layouts, validation (XEP-0122) and media (XEP-0221): as new elements, or
// over the elements that they were read from.

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

/// A value that one child element represents.
protocol FormPart: Equatable {
    /// Identifies the part when its neighbors change; `nil` if only the order distinguishes such parts.
    var key: String? { get }

    /// Writes it as a new element.
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError)

    /// Changes another value's element into this one's, and keeps content that this module does not know.
    func patch(_ element: MutableElement, from old: Self) throws(XMLTreeError)
}

extension FormPart {
    var key: String? { nil }

    func patch(_ element: MutableElement, from old: Self) throws(XMLTreeError) {
        element.replace(with: try newElement())
    }

    /// Returns a new element of this part.
    func newElement() throws(XMLTreeError) -> Element {
        var assembler = ElementAssembler(FormName.vocabulary)
        try write(to: &assembler)
        return assembler.finish()
    }
}

extension MutableElement {
    /// Replaces the text by one that must not change: it is a value of a form.
    func replaceText(with text: String) throws(XMLTreeError) {
        try XMLTreeError.check(text: text)
        self.text = text
    }
}

/// An element that contains only text.
struct TextPart: FormPart {
    let name: FormName
    let text: String

    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) { try assembler.element(name, text: text) }

    func patch(_ element: MutableElement, from old: TextPart) throws(XMLTreeError) {
        try element.replaceText(with: text)
    }

    static func == (one: TextPart, other: TextPart) -> Bool { one.text.isIdentical(to: other.text) }
}

/// An empty element.
struct EmptyPart: FormPart {
    let name: FormName

    func write(to assembler: inout ElementAssembler) { assembler.empty(name) }
}

/// The header of a table, or an item.
struct FieldList: FormPart {
    let name: FormName
    let fields: [FormField]

    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(name)
        for field in fields { try field.write(to: &assembler) }
        assembler.end()
    }

    func patch(_ element: MutableElement, from old: FieldList) throws(XMLTreeError) {
        try ElementPatch(element, order: [.field]).all(.field, from: old.fields, to: fields)
    }
}

/// An element that this module does not know.
struct ForeignPart: FormPart {
    let element: Element

    func write(to assembler: inout ElementAssembler) { assembler.add(element) }
}

extension ElementAssembler {
    mutating func start(_ name: FormName) { start(name.rawValue) }

    mutating func attribute(_ name: FormName, _ value: String?) throws(XMLTreeError) {
        if let value { try attribute(name.rawValue, value) }
    }

    mutating func element(_ name: FormName, text: String) throws(XMLTreeError) {
        start(name)
        try self.text(text)
        end()
    }

    mutating func empty(_ name: FormName) {
        start(name)
        end()
    }
}

extension FormField {
    /// Returns the field as an element, the root of a new tree.
    ///
    /// - Throws: `XMLTreeError` for text that XML cannot hold, such as control characters.
    public func element() throws(XMLTreeError) -> Element { try newElement() }
}

extension FormField: FormPart {
    var key: String? { name }

    /// Writes the parts in the order of the schema, with additions of other specifications before the values.
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.field)
        try assembler.attribute(.var, name)
        try assembler.attribute(.type, typeName)
        try assembler.attribute(.label, label)
        if let description { try assembler.element(.desc, text: description) }
        if isRequired { assembler.empty(.required) }
        if let validation { try validation.write(to: &assembler) }
        if let media { try media.write(to: &assembler) }
        for value in values { try assembler.element(.value, text: value) }
        for option in options { try option.write(to: &assembler) }
        for element in extensions { assembler.add(element) }
        assembler.end()
    }

    func patch(_ element: MutableElement, from old: FormField) throws(XMLTreeError) {
        let patch = ElementPatch(element, order: [.desc, .required, .validate, .media, .value, .option])
        try patch.attribute(.var, from: old.name, to: name)
        try patch.attribute(.type, from: old.typeName, to: typeName)
        try patch.attribute(.label, from: old.label, to: label)
        // Reading ignores an empty description, and an option without value.
        try patch.only(
            .desc, among: { $0.text != nil }, from: old.description.map { TextPart(name: .desc, text: $0) },
            to: description.map { TextPart(name: .desc, text: $0) })
        try patch.only(
            .required, from: old.isRequired ? EmptyPart(name: .required) : nil,
            to: isRequired ? EmptyPart(name: .required) : nil)
        try patch.only(.validate, from: old.validation, to: validation)
        try patch.only(.media, from: old.media, to: media)
        try patch.all(
            .value, from: old.values.map { TextPart(name: .value, text: $0) },
            to: values.map { TextPart(name: .value, text: $0) })
        try patch.all(.option, among: { $0.child("value") != nil }, from: old.options, to: options)
        try patch.foreign(from: old.extensions, to: extensions)
    }
}

extension FieldOption: FormPart {
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.option)
        try assembler.attribute(.label, label)
        try assembler.element(.value, text: value)
        assembler.end()
    }

    func patch(_ element: MutableElement, from old: FieldOption) throws(XMLTreeError) {
        let patch = ElementPatch(element, order: [.value])
        try patch.attribute(.label, from: old.label, to: label)
        try patch.only(
            .value, from: TextPart(name: .value, text: old.value), to: TextPart(name: .value, text: value))
    }
}

extension FormSection: FormPart {
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) { try write(.page, to: &assembler, depth: 0) }

    func patch(_ element: MutableElement, from old: FormSection) throws(XMLTreeError) {
        try patch(element, from: old, depth: 0)
    }

    fileprivate func write(_ name: FormName, to assembler: inout ElementAssembler, depth: Int) throws(XMLTreeError) {
        assembler.start(name)
        try assembler.attribute(.label, label)
        for part in parts { try PlacedPart(part: part, depth: depth).write(to: &assembler) }
        assembler.end()
    }

    fileprivate func patch(_ element: MutableElement, from old: FormSection, depth: Int) throws(XMLTreeError) {
        let patch = ElementPatch(element, order: PlacedPart.names)
        try patch.attribute(.label, from: old.label, to: label)
        try patch.all(
            .text, .fieldref, .reportedref, .section, among: { PlacedPart.isRead($0, depth: depth) },
            from: old.parts.map { PlacedPart(part: $0, depth: depth) },
            to: parts.map { PlacedPart(part: $0, depth: depth) })
    }
}

/// A part of a page or section, and the number of sections around it.
private struct PlacedPart: FormPart {
    let part: LayoutPart
    let depth: Int

    static let names: [FormName] = [.text, .fieldref, .reportedref, .section]

    /// Whether an element is read. FormSection+Reading.swift ignores empty references, and sections that are too deep.
    static func isRead(_ element: MutableElement, depth: Int) -> Bool {
        switch element.view[element.index].key {
        case FormNames.fieldref: element["var"] != nil
        case FormNames.section: depth < FormSection.maximumDepth
        default: true
        }
    }

    /// A change of the kind of a part, or of the field of a reference, replaces the element.
    var key: String? {
        switch part {
        case .text: "text"
        case .field(let name): "field " + name
        case .table: "table"
        case .section: "section"
        }
    }

    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        switch part {
        case .text(let text): try assembler.element(.text, text: text)
        case .field(let name):
            assembler.start(.fieldref)
            try assembler.attribute(.var, name)
            assembler.end()
        case .table: assembler.empty(.reportedref)
        case .section(let section): try section.write(.section, to: &assembler, depth: depth + 1)
        }
    }

    func patch(_ element: MutableElement, from old: PlacedPart) throws(XMLTreeError) {
        switch (old.part, part) {
        case (.text, .text(let text)): try element.replaceText(with: text)
        case (.field(let oldName), .field(let name)):
            // Keys are equal for canonical equivalents.
            try ElementPatch(element, order: []).attribute(.var, from: oldName, to: name)
        case (.section(let oldSection), .section(let section)):
            try section.patch(element, from: oldSection, depth: depth + 1)
        default: break
        }
    }
}

extension FieldMedia: FormPart {
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.media)
        try assembler.attribute(.height, height.map(String.init))
        try assembler.attribute(.width, width.map(String.init))
        for uri in uris { try uri.write(to: &assembler) }
        assembler.end()
    }

    func patch(_ element: MutableElement, from old: FieldMedia) throws(XMLTreeError) {
        let patch = ElementPatch(element, order: [.uri])
        patch.number(.height, from: old.height, to: height)
        patch.number(.width, from: old.width, to: width)
        try patch.all(.uri, from: old.uris, to: uris)
    }
}

extension MediaURI: FormPart {
    /// A medium has one address for each format.
    var key: String? { type }

    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.uri)
        try assembler.attribute(.type, type)
        try assembler.text(uri)
        assembler.end()
    }

    func patch(_ element: MutableElement, from old: MediaURI) throws(XMLTreeError) {
        try ElementPatch(element, order: []).attribute(.type, from: old.type, to: type)
        // White space around the old address does not count as a change.
        if !old.uri.isIdentical(to: uri) { try element.replaceText(with: uri) }
    }
}

extension FieldValidation: FormPart {
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.validate)
        try assembler.attribute(.datatype, datatype)
        try method.write(to: &assembler)
        try listRange?.write(to: &assembler)
        assembler.end()
    }

    func patch(_ element: MutableElement, from old: FieldValidation) throws(XMLTreeError) {
        let patch = ElementPatch(element, order: [.basic, .open, .range, .regex, .listRange])
        try patch.attribute(.datatype, from: old.datatype, to: datatype)
        // Without a written method, or with an unknown one, the old method is still `basic`.
        let isWritten = element.children.contains { Method.names.contains($0.view[$0.index].key) }
        if method != old.method {
            try patch.only(.basic, .open, .range, .regex, from: isWritten ? old.method : nil, to: method)
        }
        try patch.only(.listRange, from: old.listRange, to: listRange)
    }
}

extension FieldValidation.Method: FormPart {
    fileprivate static let names = [FormNames.basic, FormNames.open, FormNames.range, FormNames.regex]

    /// The name of its element.
    var name: FormName {
        switch self {
        case .basic: .basic
        case .open: .open
        case .range: .range
        case .regex: .regex
        }
    }

    /// A change to another kind of method replaces the element.
    var key: String? { "\(name)" }

    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(name)
        switch self {
        case .basic, .open: break
        case .range(let min, let max):
            try assembler.attribute(.min, min)
            try assembler.attribute(.max, max)
        case .regex(let pattern): try assembler.text(pattern)
        }
        assembler.end()
    }

    func patch(_ element: MutableElement, from old: Self) throws(XMLTreeError) {
        switch (old, self) {
        case (.range(let oldMin, let oldMax), .range(let min, let max)):
            let patch = ElementPatch(element, order: [])
            try patch.attribute(.min, from: oldMin, to: min)
            try patch.attribute(.max, from: oldMax, to: max)
        case (_, .regex(let pattern)): try element.replaceText(with: pattern)
        default: break
        }
    }
}

extension FieldValidation.ListRange: FormPart {
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.listRange)
        try assembler.attribute(.min, min.map(String.init))
        try assembler.attribute(.max, max.map(String.init))
        assembler.end()
    }

    func patch(_ element: MutableElement, from old: Self) throws(XMLTreeError) {
        let patch = ElementPatch(element, order: [])
        patch.number(.min, from: old.min, to: min)
        patch.number(.max, from: old.max, to: max)
    }
}
