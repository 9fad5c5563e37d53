// Writes a tree in one of its many spellings: prefixes, quotes, references, CDATA sections and empty-element tags in
// XML, escapes in JSON.

import StanzaQuery
import TestSupport

/// Spells stanzas. Each stanza has habits of its own, so that some stanzas hold no references and others many.
struct StanzaSpelling {
    var random: SeededGenerator
    private var referenceChance = 0
    private var escapeChance = 0
    private var prefixChance = 0

    init(random: SeededGenerator) {
        self.random = random
    }

    /// The XML of a stanza. It declares each namespace again.
    mutating func xml<Node: ReadableElement>(of element: Node) -> String {
        referenceChance = random.pick([0, 0, 3, 60])
        prefixChance = random.pick([0, 50])
        return spell(element)
    }

    /// A line of JSON that holds the stanza.
    mutating func json(of xml: String) -> String {
        escapeChance = random.pick([0, 0, 3, 60])
        var line = "{\"xml\": \""
        for scalar in xml.unicodeScalars {
            switch scalar {
            case _ where scalar.value < 0x10000 && random.chance(escapeChance): line += escape(scalar)
            case "\n": line += "\\n"
            case "\t": line += "\\t"
            case "\r": line += "\\r"
            case "\"", "\\": line += "\\\(scalar)"
            case "/" where random.chance(50): line += "\\/"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line + "\"}"
    }

    private mutating func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: random.chance(50))
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    // MARK: XML

    private mutating func spell<Node: ReadableElement>(_ element: Node) -> String {
        let prefixes = element.namespacesInScope.prefixes.sorted { $0.key < $1.key }
            .filter { $0.key != "xml" && !$0.key.isEmpty }
        var pieces: [String] = []
        var name = element.name
        if let namespace = element.namespace, random.chance(prefixChance) {
            name = "n:" + name
            pieces.append("xmlns:n=" + quoted(namespace))
        } else {
            pieces.append("xmlns=" + quoted(element.namespace ?? ""))
        }
        for (prefix, namespace) in prefixes where prefix != "n" {
            pieces.append("xmlns:\(prefix)=" + quoted(namespace))
        }
        for attribute in element.attributes {
            var name = attribute.name
            let others = prefixes.filter { $0.value == attribute.namespace && $0.key != "n" }
            if let colon = name.unicodeScalars.firstIndex(of: ":"), let other = others.randomElement(using: &random) {
                name = other.key + name[colon...]
            }
            pieces.append(name + random.pick(["=", "=", " = "]) + quoted(attribute.value))
        }
        pieces.shuffle(using: &random)
        let start = "<" + ([name] + pieces).joined(separator: random.pick([" ", " ", "\n", "\t "]))
        var inside = ""
        for content in element.content {
            switch content {
            case .element(let child): inside += spell(child)
            case .text(let text): inside += characterData(text)
            }
        }
        if inside.isEmpty, random.chance(50) { return start + random.pick(["/>", " />"]) }
        return start + ">" + inside + "</\(name)\(random.pick(["", " "]))>"
    }

    private mutating func quoted(_ value: String) -> String {
        let quote: Unicode.Scalar = random.chance(50) ? "'" : "\""
        var text = ""
        text.unicodeScalars.append(quote)
        for scalar in value.unicodeScalars {
            if scalar == " ", random.chance(30) {
                // Read as a space.
                text += random.pick(["\n", "\t", "\r\n"])
            } else if scalar == quote || "<&\n\t\r".unicodeScalars.contains(scalar) || random.chance(referenceChance) {
                text += reference(scalar)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        text.unicodeScalars.append(quote)
        return text
    }

    private mutating func characterData(_ text: String) -> String {
        if random.chance(30), !text.contains("]]>") { return "<![CDATA[\(text)]]>" }
        var spelled = ""
        for scalar in text.unicodeScalars {
            if "<&>\r".unicodeScalars.contains(scalar) || random.chance(referenceChance) {
                spelled += reference(scalar)
            } else {
                spelled.unicodeScalars.append(scalar)
            }
        }
        return spelled
    }

    private mutating func reference(_ scalar: Unicode.Scalar) -> String {
        let names: [Unicode.Scalar: String] = ["<": "lt", ">": "gt", "&": "amp", "'": "apos", "\"": "quot"]
        if let name = names[scalar], random.chance(50) { return "&\(name);" }
        let value = scalar.value
        return random.chance(50) ? "&#\(value);" : "&#x0\(String(value, radix: 16, uppercase: random.chance(50)));"
    }
}
