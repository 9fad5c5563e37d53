// The parts of a form. Each writes itself into a new element, or updates the element of an older value.

import FormModel

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
