// Writes fields and options.

public import FormModel

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
