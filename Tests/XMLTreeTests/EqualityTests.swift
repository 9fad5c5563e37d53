// Equality of trees.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct EqualityTests {
    private static let equal: [(String, String)] = [
        ("<a/>", "<a></a>"),
        ("<a b='1' c='2'/>", "<a c='2' b='1'/>"),
        ("<p:a xmlns:p='u'/>", "<a xmlns='u'/>"),
        ("<a xmlns:p='u' p:k='1'/>", "<a xmlns:q='u' q:k='1'/>"),
        ("<a xmlns:unused='u'/>", "<a/>"),
        ("<a>x<b/>y</a>", "<a>x<b></b>y</a>"),
        ("<a>&#120;</a>", "<a><![CDATA[x]]></a>"),
    ]

    private static let different: [(String, String)] = [
        ("<a/>", "<b/>"),
        ("<a/>", "<a xmlns='u'/>"),
        ("<a/>", "<a b=''/>"),
        ("<a b='1'/>", "<a b='2'/>"),
        ("<a b='1'/>", "<a c='1'/>"),
        ("<a xmlns:p='u' p:k='1'/>", "<a k='1'/>"),
        ("<a>x</a>", "<a>y</a>"),
        ("<a> </a>", "<a/>"),
        ("<a>x<b/></a>", "<a><b/>x</a>"),
        ("<a><b/><c/></a>", "<a><c/><b/></a>"),
        ("<a><b/></a>", "<a><b/><b/></a>"),
        ("<a><b><c/></b></a>", "<a><b/><c/></a>"),
        ("<a>\u{E9}</a>", "<a>e\u{301}</a>"),
        ("<a k='\u{E9}'/>", "<a k='e\u{301}'/>"),
        ("<\u{E9}/>", "<e\u{301}/>"),
        ("<a xmlns='\u{E9}'/>", "<a xmlns='e\u{301}'/>"),
    ]

    @Test func equalTrees() throws {
        for (one, other) in Self.equal {
            let (one, other) = (try Element(parsing: one), try Element(parsing: other))
            #expect(one == other)
            #expect(other == one)
            #expect(one.hashValue == other.hashValue)
            #expect(one.thaw() == other.thaw())
            #expect(one.thaw() !== one.thaw())
        }
    }

    @Test func differentTrees() throws {
        for (one, other) in Self.different {
            let (one, other) = (try Element(parsing: one), try Element(parsing: other))
            #expect(one != other)
            #expect(other != one)
            #expect(one.thaw() != other.thaw())
        }
    }

    /// Equality also compares values code point by code point (rule 1.1).
    @Test func composedAndDecomposedCharactersDiffer() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        func attribute(_ name: String, _ namespace: String?, _ value: String) -> XMLAttribute {
            XMLAttribute(name: name, namespace: namespace, value: value)
        }
        #expect(attribute("k", nil, composed) != attribute("k", nil, decomposed))
        #expect(attribute(composed, nil, "") != attribute(decomposed, nil, ""))
        #expect(attribute("k", composed, "") != attribute("k", decomposed, ""))
        #expect(attribute("k", nil, "") != attribute("k", "", ""))
        #expect(
            Set([attribute("k", nil, composed), attribute("k", nil, decomposed), attribute("k", nil, composed)]).count
                == 2)
        #expect(XMLContent<Element>.text(composed) != .text(decomposed))
        #expect(XMLContent<Element>.text(composed) == .text(composed))
        #expect(NamespaceContext(defaultNamespace: composed) != NamespaceContext(defaultNamespace: decomposed))
        #expect(NamespaceContext(prefixes: [composed: "u"]) != NamespaceContext(prefixes: [decomposed: "u"]))
        #expect(NamespaceContext(prefixes: ["p": composed]) != NamespaceContext(prefixes: ["p": decomposed]))
        #expect(NamespaceContext(prefixes: ["p": "u", "q": "v"]) == NamespaceContext(prefixes: ["q": "v", "p": "u"]))
    }

    @Test func aSubtreeEqualsItsCopyWhateverFollowsIt() throws {
        let tree = try Element(parsing: "<a><b>x<c/>y</b>behind<b>x<c/>y</b></a>")
        let children = Array(tree.children)
        #expect(children[0] == children[1])
        #expect(children[0] == children[0].copy())
        #expect(!children[0].isSame(as: children[1]))
        #expect(Set(children).count == 1)
    }

    @Test func manyAttributes() throws {
        let names = (0..<40).map { "k\($0)" }
        let one = MutableElement("a", attributes: try AttributeValues(names.map { ($0, $0) }))
        let other = MutableElement("a", attributes: try AttributeValues(names.reversed().map { ($0, $0) }))
        #expect(one == other)
        other["k7"] = "changed"
        #expect(one != other)
        other["k7"] = nil
        other["k77"] = "k7"
        #expect(one != other)
    }

    /// Of an attribute and a declaration of one name, only the attribute has a value. Many attributes are compared as
    /// few are, in a time that grows as their number does.
    @Test(arguments: [3, 64, 65, 1_000]) func attributesBesideDeclarations(count: Int) throws {
        func tree(_ names: [String], value: String) throws -> Element {
            let attributes = names.map { " xmlns:\($0)='u' \($0)='\($0 == "k1" ? value : $0)'" }.joined()
            return try Element(parsing: "<a\(attributes)/>", limits: ParserLimits(attributes: 2 * count))
        }
        let names = (0..<count).map { "k\($0)" }
        let one = try tree(names, value: "1")
        #expect(try one == tree(names.reversed(), value: "1"))
        #expect(try one != tree(names, value: "2"))
        #expect(try one != tree(names.dropFirst() + ["other"], value: "1"))
    }

    @Test func veryManyAttributes() throws {
        func trees(_ count: Int) throws -> (Element, Element) {
            let names = (0..<count).map { " k\($0)=''" }
            let limits = ParserLimits(attributes: count)
            return (
                try Element(parsing: "<a\(names.joined())/>", limits: limits),
                try Element(parsing: "<a\(names.reversed().joined())/>", limits: limits)
            )
        }
        let (few, many) = try (trees(2_000), trees(20_000))
        #expect(few.0 == few.1 && many.0 == many.1)
        let growth = growth(from: { _ = few.0 == few.1 }, to: { _ = many.0 == many.1 }, below: 40)
        #expect(growth < 40)
    }
}
