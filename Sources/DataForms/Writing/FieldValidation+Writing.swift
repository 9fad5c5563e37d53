// Writes the validation of a field (XEP-0122).

import FormModel

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
