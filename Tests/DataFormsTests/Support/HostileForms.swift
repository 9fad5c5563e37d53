// Makes hostile forms: random ones with elements in the wrong places, and forms of the corpus with changed bytes.

import DataForms
import TestSupport
import XMLTree

enum HostileForms {
    /// Returns a form of the corpus, one with changed bytes, or a random one.
    static func element(_ random: inout SeededGenerator) throws -> Element {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return random.pick(try CorpusForms.all)
        case 1: return try mutated(random.pick(try CorpusForms.all), &random)
        default:
            var budget = 120
            return try Element(parsing: madeUp("x", &budget, depth: 0, &random), in: .clientStream)
        }
    }

    // MARK: Made up

    private static let namespaces = [
        "x": "jabber:x:data", "v": "http://jabber.org/protocol/xdata-validate",
        "l": "http://jabber.org/protocol/xdata-layout", "m": "urn:xmpp:media-element", "u": "urn:unknown",
    ]

    private static let names = [
        "x:title", "x:instructions", "x:field", "x:field", "x:field", "x:reported", "x:item", "x:desc", "x:required",
        "x:value", "x:value", "x:value", "x:option", "x:option", "x:x", "v:validate", "v:basic", "v:open", "v:range",
        "v:regex", "v:list-range", "l:page", "l:section", "l:text", "l:fieldref", "l:reportedref", "m:media", "m:uri",
        "u:field", "u:any",
    ]

    /// The valid children of each element. Half of the random children are from this table.
    private static let contents = [
        "x:x": ["x:title", "x:field", "x:field", "x:reported", "x:item", "l:page"],
        "x:reported": ["x:field"], "x:item": ["x:field"], "x:option": ["x:value"],
        "x:field": ["x:value", "x:option", "x:desc", "x:required", "v:validate", "m:media"],
        "v:validate": ["v:basic", "v:open", "v:range", "v:regex", "v:list-range"],
        "l:page": ["l:text", "l:fieldref", "l:reportedref", "l:section"],
        "l:section": ["l:text", "l:fieldref", "l:section"], "m:media": ["m:uri"],
    ]

    /// The values of attributes and texts.
    private static let texts = [
        "", " ", "a", "b", "b", "FORM_TYPE", "urn:xmpp:mam:2", "with", "é", "e\u{301}", "-", "1", "0", "-1", " 7\n",
        "99999999999999999999999", "2002-09-10T23:08:25Z", "true", "form", "result", "submit", "cancel", "boolean",
        "fixed", "hidden", "jid-multi", "jid-single", "list-multi", "list-single", "text-multi", "text-private",
        "xs:int", "xs:dateTime", "xs:decimal", "xs:NMTO\u{212A}EN", "(a*)*b", "[", "a{1,1023}",
        "((((((a{9}){9}){9}){9}){9}){9}",
        "\\", "a@b/c", "@", "image/png", "\u{9B}31m", "\u{202E}abc", "\u{85}", "\u{2028}", "x\ny\rz", "\u{10FFFD}",
        "😀大",
        String(repeating: "long ", count: 300),
    ]

    private static let attributes = ["var", "type", "label", "datatype", "min", "max", "height", "width", "other"]

    private static func madeUp(
        _ name: String, _ budget: inout Int, depth: Int, _ random: inout SeededGenerator
    ) -> String {
        budget -= 1
        let isRoot = depth == 0
        let full = isRoot ? "x:x" : name
        var xml = "<\(full)"
        if isRoot { for (prefix, uri) in namespaces { xml += " xmlns:\(prefix)='\(uri)'" } }
        for attribute in attributes where random.chance(attribute == "var" || attribute == "type" ? 60 : 25) {
            xml += " \(attribute)='\(escaped(random.pick(texts)))'"
        }
        xml += ">"
        if random.chance(60) { xml += escaped(random.pick(texts)) }
        // Sections nest deeper than the library reads.
        let limit = name == "l:section" ? 20 : 6
        var remaining = Int.random(in: isRoot ? 3...15 : 0...4, using: &random)
        while remaining > 0, budget > 0, depth < limit {
            remaining -= 1
            let fitting = contents[full] ?? names
            xml += madeUp(random.pick(random.chance(70) ? fitting : names), &budget, depth: depth + 1, &random)
        }
        return xml + "</\(full)>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("'", with: "&apos;")
            .replacing("\r", with: "&#13;").replacing("\n", with: "&#10;")
    }

    // MARK: Changed

    /// Changes, moves, doubles or removes some bytes of a form. Tries again until the result is a form.
    private static func mutated(_ element: Element, _ random: inout SeededGenerator) throws -> Element {
        let original = element.xmlBytes()
        for _ in 0..<50 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) where bytes.count > 2 {
                let place = Int.random(in: 2..<bytes.count, using: &random)
                let length = min(Int.random(in: 1...40, using: &random), bytes.count - place)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0x20..<0x7F, using: &random)
                case 1: bytes.removeSubrange(place..<(place + length))
                default: bytes.insert(contentsOf: bytes[place..<(place + length)], at: place)
                }
            }
            guard let changed = try? Element(parsing: bytes) else { continue }
            if DataFormElement(changed) != nil { return changed }
        }
        return element
    }
}
