// Random documents, most of them nearly well-formed: pieces of markup in any order, and mutations of good documents.

import TestSupport

enum RandomMarkup {
    private static let pieces: [String] = [
        "<a>", "</a>", "<a/>", "<b>", "</b>", "<p:a xmlns:p='u'>", "</p:a>", "<p:b/>", "<a xmlns='u'>", "<a xmlns=''>",
        "<a b='c'/>", "<a b=\"c\" d='e'>", "<a b='1' b='2'/>", "<a p:b='1' q:b='2' xmlns:p='u' xmlns:q='u'/>",
        "<a b='&lt;&#9;\t\n'/>", "<a xml:lang='de'/>", "<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>",
        "<a xmlns:xmlns='u'/>", "<a xmlns:p=''/>", "<p:a/>", "<a:b:c/>", "<:a/>", "<a:/>", "<é/>", "<a é='ü'/>",
        "<a b='<'/>", "<a b=c/>", "<a b/>", "<a b='c'd='e'/>", "< a/>", "<a / >", "</a >", "<>", "<a b = 'c' />",
        "text", "&amp;", "&lt;", "&#65;", "&#x41;", "&#0;", "&#xD800;", "&#1114112;", "&x;", "&", "&#;", "&#x;", "]]>",
        "]]",
        "\r\n", "\r", "\n", "\t", " ", "é€😀", "\u{FFFE}", "\u{0}", "\u{1}", "\u{7F}", "\u{85}", "\u{2028}",
        "<![CDATA[", "]]>", "<![CDATA[<a>&amp;]]>", "<!--", "-->", "<!-- c -->", "<!-- a--b -->", "--", "<?p q?>",
        "<?p?>",
        "<?", "?>", "<?p:q r?>", "<?xml version='1.0'?>", "<?xml version='1.1'?>", "<?xml version='2.0'?>",
        "<?xml version='1.0' encoding='UTF-8'?>", "<?xml version=\"1.0\" standalone='yes' ?>", "<?XML?>",
        "<?xml version='1.0' encoding='ISO-8859-1'?>", "<!DOCTYPE a>", "<!DOCTYPE a [<!ENTITY x 'y'>]>", "<!", "<!x>",
        "<",
        ">", "'", "\"", "=", "/", "a", ":", "xmlns", "xml", "\u{FEFF}",
    ]

    /// Pieces in any order, most of them inside of a root.
    static func document(using random: inout SeededGenerator) -> [UInt8] {
        var open: [String] = []
        var text = Int.random(in: 0..<4, using: &random) == 0 ? "" : "<r>"
        if !text.isEmpty { open.append("</r>") }
        for _ in 0..<Int.random(in: 0..<8, using: &random) {
            // Half of the time something that fits.
            if Bool.random(using: &random) {
                let name = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                if Int.random(in: 0..<3, using: &random) == 0, let end = open.popLast() {
                    text += end
                } else {
                    text += "<\(name)>"
                    open.append("</\(name)>")
                }
            } else {
                text += pieces.randomElement(using: &random) ?? ""
            }
        }
        if Int.random(in: 0..<8, using: &random) > 0 { text += open.reversed().joined() }
        return Array(text.utf8)
    }

    private static let names = ["a", "b", "c", "p:a", "q:b", "stream:a", "a:b:c", ":a", "a:", "xml:a", "xmlns:a", "é"]
    private static let attributes = [
        "a", "b", "p:a", "q:a", "xml:lang", "xml:a", "xmlns", "xmlns:p", "xmlns:p", "xmlns:r", "xmlns:xml",
        "xmlns:xmlns", ":a", "a:", "a:b:c", "xmlns:", "r:a",
    ]
    private static let values = [
        "", "1", "urn:q", "urn:p", "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/", "&lt;",
    ]

    /// A well-formed element of random names, unless an attribute occurs twice. Many break Namespaces in XML.
    static func stanza(depth: Int = 0, using random: inout SeededGenerator) -> String {
        // Most elements are plain, so that the fault is anywhere.
        let name = Bool.random(using: &random) ? "a" : names.randomElement(using: &random) ?? "a"
        var text = "<" + name
        for _ in 0..<max(0, Int.random(in: -2...3, using: &random)) {
            let attribute = attributes.randomElement(using: &random) ?? "a"
            text += " \(attribute)='\(values.randomElement(using: &random) ?? "")'"
        }
        if depth > 3 || Bool.random(using: &random) { return text + "/>" }
        text += ">"
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            text += Bool.random(using: &random) ? "x&amp;y" : stanza(depth: depth + 1, using: &random)
        }
        return text + "</\(name)>"
    }

    /// A document with some bytes removed, replaced, or doubled, or with a piece put in.
    static func mutation(of document: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = document
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.remove(at: place)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes[place] = Array("<>/='\"&;:! ?-]x".utf8).randomElement(using: &random) ?? 0
            case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 8)], at: place)
            default: bytes.insert(contentsOf: (pieces.randomElement(using: &random) ?? "").utf8, at: place)
            }
        }
        return bytes
    }
}
