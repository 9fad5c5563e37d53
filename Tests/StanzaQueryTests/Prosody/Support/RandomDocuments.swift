// Random documents as text, over small alphabets, so that names and namespaces meet often. Written in the many ways
// that XML has, because both sides read them with their own parsers: prefixes, CDATA, references, white space.

import TestSupport

/// Makes documents.
struct RandomDocuments {
    static let names = ["a", "b", "c", "é"]
    /// One has all characters with a meaning in Prosody's language.
    static let namespaces = ["u", "v", "urn:w@1/{2#"]
    static let attributeNames = ["k", "type", "xml:lang"]
    static let texts = [
        "x", "1", " ", "two words", "é", "e\u{301}", "😀", "&lt;&amp;&gt;", "&#x41;", "<![CDATA[<&]]>", "\n\t",
    ]
    static let values = ["x", "", "1", "é", "&quot;&apos;&lt;", "a/b#c@d", "&#9;"]

    var random: SeededGenerator
    /// How many more elements the document may have.
    private var left = 0

    init(random: SeededGenerator) {
        self.random = random
    }

    /// A document of up to `size` elements.
    mutating func document(upTo size: Int) -> String {
        left = size
        return element(in: nil, depth: 0)
    }

    private mutating func element(in parentNamespace: String?, depth: Int) -> String {
        left -= 1
        var namespace = parentNamespace
        if random.chance(30) || (depth == 0 && random.chance(70)) { namespace = random.pick(Self.namespaces) }
        if random.chance(2) { namespace = nil }
        // With a prefix the default namespace stays unchanged here.
        let isPrefixed = namespace != nil && random.chance(10)
        let name = (isPrefixed ? "n:" : "") + random.pick(Self.names)
        var attributes: [String] = []
        if isPrefixed {
            attributes.append("xmlns:n='\(namespace ?? "")'")
        } else if namespace != parentNamespace {
            attributes.append("xmlns='\(namespace ?? "")'")
        }
        for attribute in Self.attributeNames where random.chance(35) {
            attributes.append("\(attribute)='\(random.pick(Self.values))'")
        }
        if random.chance(15) {
            attributes += ["xmlns:p='\(random.pick(Self.namespaces))'", "p:k='\(random.pick(Self.values))'"]
        }
        attributes.shuffle(using: &random)
        let start = ([name] + attributes).joined(separator: random.chance(5) ? "\n " : " ")
        let content = content(in: isPrefixed ? parentNamespace : namespace, depth: depth)
        return content.isEmpty && random.chance(50) ? "<\(start)/>" : "<\(start)>\(content)</\(name)>"
    }

    /// Mostly text alone, if the element has no children; seldom beside elements.
    private mutating func content(in defaultNamespace: String?, depth: Int) -> String {
        let fewest = depth == 0 ? 2 : 0
        let children = depth > 4 || random.chance(depth * 12) ? 0 : Int.random(in: fewest...4, using: &random)
        var content = ""
        for _ in 0..<children where left > 0 {
            if random.chance(8) { content += random.pick(Self.texts) }
            content += element(in: defaultNamespace, depth: depth + 1)
        }
        let pieces = random.chance(content.isEmpty ? 80 : 8) ? Int.random(in: 1...2, using: &random) : 0
        for _ in 0..<pieces { content += random.pick(Self.texts) }
        return content
    }
}
