// Writes what other specifications add: validation (XEP-0122), media (XEP-0221), and layout (XEP-0141).

import XMLTree

extension FieldValidation: FormPart {
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.validate)
        try assembler.attribute(.datatype, datatype)
        switch method {
        case .basic: assembler.empty(.basic)
        case .open: assembler.empty(.open)
        case .range(let min, let max):
            assembler.start(.range)
            try assembler.attribute(.min, min)
            try assembler.attribute(.max, max)
            assembler.end()
        case .regex(let pattern): try assembler.element(.regex, text: pattern)
        }
        if let listRange {
            assembler.start(.listRange)
            try assembler.attribute(.min, listRange.min.map(String.init))
            try assembler.attribute(.max, listRange.max.map(String.init))
            assembler.end()
        }
        assembler.end()
    }
}

extension FieldMedia: FormPart {
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.media)
        try assembler.attribute(.height, height.map(String.init))
        try assembler.attribute(.width, width.map(String.init))
        for uri in uris {
            assembler.start(.uri)
            try assembler.attribute(.type, uri.type)
            try assembler.text(uri.uri)
            assembler.end()
        }
        assembler.end()
    }
}

extension FormPage: FormPart {
    func write(to assembler: inout ElementAssembler) throws(XMLTreeError) {
        assembler.start(.page)
        try assembler.attribute(.label, label)
        try assembler.layout(parts)
        assembler.end()
    }
}

extension ElementAssembler {
    fileprivate mutating func layout(_ parts: [LayoutPart]) throws(XMLTreeError) {
        for part in parts {
            switch part {
            case .text(let text): try element(.text, text: text)
            case .field(let name):
                start(.fieldref)
                try attribute(.var, name)
                end()
            case .table: empty(.reportedref)
            case .section(let section):
                start(.section)
                try attribute(.label, section.label)
                try layout(section.parts)
                end()
            }
        }
    }
}
