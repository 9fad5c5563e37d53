// Random stanzas that are hard to cut: quotes, '>' and text that looks like tags in every kind of markup.

import TestSupport

/// Makes well-formed markup.
struct RandomFraming {
    var random: SeededGenerator
    /// Whether comments and instructions are allowed: in fragments.
    let hasComments: Bool
    /// How often markup is hard to cut, in a hundred: most real input is easy.
    private let hardness: Int

    init(isStream: Bool, random: SeededGenerator) {
        self.random = random
        hasComments = !isStream
        hardness = self.random.pick([0, 0, 5, 60])
    }

    private static let names = ["a", "message", "n:b", "_c", "é", "x-y.z"]
    private static let texts = [
        "", "text", " \n", "&lt;a&gt;", "'", "\"", "é€😀", String(repeating: "long ", count: 30),
    ]
    private static let hardTexts = [">", "/>", "]>", "a > b", "-->", "?>"]
    private static let hardValues = [
        ">", "/>", "</a>".replacing("<", with: "&lt;"), "'>'", "\">\"", "/", " =/>", "-->",
    ]
    private static let data = ["", "<a>", "</a>", "<a b='", "]]", "]>", "\"", "<!--", "<b/>"]
    private static let comments = ["", "<a>", "</a>", " > ", "'", "\"", "<![CDATA[", "?>"]

    /// A stanza.
    mutating func stanza() -> String {
        element(depth: random.pick([0, 1, 1, 2, 4]), scope: " xmlns:n='urn:n'")
    }

    /// Text that may be between two stanzas.
    mutating func gap() -> String {
        let space = random.pick(["", "", "\n", " \r\n\t"])
        guard hasComments, random.chance(hardness) else { return space }
        return space + other() + random.pick(["", "\n"])
    }

    /// A comment or an instruction.
    private mutating func other() -> String {
        random.chance(50)
            ? "<!--\(random.pick(Self.comments))-->" : "<?p \(random.pick(["", "<a>", ">", "'", "? >"]))?>"
    }

    private mutating func element(depth: Int, scope: String = "") -> String {
        let name = random.pick(Self.names)
        var tag = "<" + name + scope
        for attribute in ["b", "n:c", "d"] where random.chance(30) {
            let quote = random.pick(["'", "\""])
            let value = random.chance(hardness) ? random.pick(Self.hardValues) : random.pick(Self.texts)
            tag += random.pick([" ", " ", "\n\t"]) + attribute + random.pick(["=", "=", " = "])
            tag += quote + value.replacing(quote, with: "&quot;") + quote
        }
        tag += random.pick(["", "", " ", "\n"])
        if random.chance(20) { return tag + "/>" }
        var inside = ""
        for _ in 0..<(depth == 0 ? 1 : random.pick([0, 1, 2, 4])) {
            switch random.next() % 4 {
            case 0: inside += random.chance(hardness) ? random.pick(Self.hardTexts) : random.pick(Self.texts)
            case 1 where random.chance(hardness): inside += "<![CDATA[\(random.pick(Self.data))]]>"
            case 2 where hasComments && random.chance(hardness): inside += other()
            default: if depth > 0 { inside += element(depth: depth - 1) }
            }
        }
        return tag + ">" + inside + "</" + name + random.pick(["", "", " ", "\n"]) + ">"
    }
}
