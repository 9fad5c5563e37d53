// Writes pages and sections (XEP-0141).

import FormModel

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
