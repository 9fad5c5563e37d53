// Random queries of Prosody's language. Most follow a path of the tree, so that they find something. Some are
// malformed, and some are only characters with a meaning in one of the languages.

import StanzaQuery
import TestSupport

/// Makes queries for one element.
struct RandomProsodyQueries {
    private static let pieces = [
        "a", "b", "é", "{u}", "{v}", "{urn:w@1/{2#}", "{", "}", "{}", "/", "/", "#", "@", "@k", "@type", "xml:lang",
        "@p:k",
        "@{u}k", "@xmlns", "@@", "*", "{*}", "..", "!a", "<k=x>", "<k~.>", "$", "|int", "\\", "=", " ", ".", "-", ":",
        "1",
    ]

    var random: SeededGenerator

    init(random: SeededGenerator) {
        self.random = random
    }

    mutating func query(on element: Element) -> String {
        if random.chance(12) { return noise() }
        var steps: [String] = []
        var current = element
        // Mostly as deep as the tree goes, so that text is reached.
        while steps.count < 4, random.chance(steps.isEmpty ? 92 : 65) {
            guard let child = pickChild(of: current) else { break }
            steps.append(segment(for: child, below: current))
            current = child
        }
        if random.chance(6) {
            steps.append((random.chance(30) ? "{\(random.pick(RandomDocuments.namespaces))}" : "") + name())
        }
        let query = ended(steps.isEmpty && random.chance(40) ? [name()] : steps, at: current)
        return random.chance(8) ? malformed(query) : query
    }

    /// Often the first: Prosody follows no other.
    private mutating func pickChild(of element: Element) -> Element? {
        let children = Array(element.children)
        return children.isEmpty ? nil : random.chance(60) ? children[0] : random.pick(children)
    }

    private mutating func name() -> String { random.pick(RandomDocuments.names) }

    /// A segment that the child satisfies, if its namespace can be written.
    private mutating func segment(for child: Element, below parent: Element) -> String {
        let isInherited = child.namespace == parent.namespace
        guard let namespace = child.namespace, !isInherited || random.chance(35) else { return child.name }
        return "{\(namespace)}" + (random.chance(25) ? "" : child.name)
    }

    private mutating func ended(_ steps: [String], at element: Element) -> String {
        let path = steps.joined(separator: "/")
        let attribute = attribute(of: element)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<30: return path
        case ..<58: return path + "#"
        case ..<68: return path + (path.isEmpty ? "#" : "/#")
        case ..<90: return path + "@" + attribute
        default: return path + (path.isEmpty ? "@" : "/@") + attribute
        }
    }

    /// An attribute that the element has, mostly. Versions of Prosody that know prefixes and Clark notation find
    /// prefixed ones, too.
    private mutating func attribute(of element: Element) -> String {
        if random.chance(15) { return "xmlns" }
        if random.chance(10) { return random.pick(["k", "type", "xml:lang", "p:k", "none", "lang"]) }
        guard let attribute = element.attributes.randomElement(using: &random) else { return "k" }
        guard attribute.name == "p:k", let namespace = attribute.namespace, random.chance(50) else {
            return attribute.name
        }
        return "{\(namespace)}k"
    }

    private mutating func malformed(_ query: String) -> String {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: "/" + query
        case 1: query + "/"
        case 2: query.replacing("/", with: "//", maxReplacements: 1)
        case 3: query + "#" + name()
        default: query.replacing("/", with: "#", maxReplacements: 1)
        }
    }

    private mutating func noise() -> String {
        (0..<Int.random(in: 0...6, using: &random)).map { _ in random.pick(Self.pieces) }.joined()
    }
}
