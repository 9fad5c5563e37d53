// Writes pictures, sounds and films of a field (XEP-0221).

import FormModel

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
