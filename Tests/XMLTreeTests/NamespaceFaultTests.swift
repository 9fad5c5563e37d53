// Well-formed stanzas of a stream that break Namespaces in XML 1.0: the parser rejects the stanza and reads on. In a
// stream's header, in documents and in fragments, the same faults are errors.

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite struct NamespaceFaultTests {
    /// Faults in a tag, each with its place.
    static let faults: [(tag: String, kind: XMLParseError.Kind)] = [
        // Undeclared prefixes, and the prefix of declarations.
        ("<¦p:m/>", .unboundPrefix("p")), ("<m ¦p:a='1'/>", .unboundPrefix("p")),
        ("<¦xmlns:m/>", .unboundPrefix("xmlns")), ("<m xmlns='urn:p' ¦p:y='1'></m>", .unboundPrefix("p")),
        // Two attributes of one expanded name.
        ("<m xmlns:p='u' xmlns:q='u' p:a='1' ¦q:a='2'/>", .duplicateAttribute("q:a")),
        // Reserved prefixes and namespaces.
        ("<m ¦xmlns:xml='u'/>", reserved("the prefix 'xml' has a namespace of its own")),
        ("<m ¦xmlns:xmlns='u'/>", reserved("the prefix 'xmlns' must not be declared")),
        ("<m ¦xmlns:xmlns='\(XMLNamespace.xmlns)'/>", reserved("the prefix 'xmlns' must not be declared")),
        ("<m ¦xmlns:p='\(XMLNamespace.xmlns)'/>", reserved("nothing may be bound to this namespace")),
        ("<m ¦xmlns='\(XMLNamespace.xmlns)'/>", reserved("nothing may be bound to this namespace")),
        ("<m ¦xmlns:p='\(XMLNamespace.xml)' p:a='1'/>", reserved("only the prefix 'xml' has this namespace")),
        ("<m ¦xmlns='\(XMLNamespace.xml)'/>", reserved("only the prefix 'xml' has this namespace")),
        (
            "<m ¦xmlns:p=''/>",
            .namespaceFault("a prefix cannot be bound to no namespace; write a namespace, or remove the prefix")
        ),
        // Misplaced colons.
        ("<a:b¦:c/>", .misplacedColon), ("<¦:m/>", .misplacedColon), ("<m:¦ />", .misplacedColon),
        ("<¦:/>", .misplacedColon), ("<¦::>x</::>", .misplacedColon), ("<m a:b¦:c='1'/>", .misplacedColon),
        ("<m ¦:a='1'/>", .misplacedColon), ("<m a:¦='1'/>", .misplacedColon), ("<m xmlns:¦='u'/>", .misplacedColon),
        ("<m xmlns:a¦:b='u'/>", .misplacedColon), ("<a:¦1/>", .misplacedColon), ("<m é:¦-='1'></m>", .misplacedColon),
    ]

    private static func reserved(_ reason: String) -> XMLParseError.Kind {
        .namespaceFault(reason + "; remove the declaration")
    }

    @Test(arguments: faults) func aFaultEndsTheStanza(_ tag: String, _ kind: XMLParseError.Kind) {
        let ok = ParserCase.Line("<{jabber:client}ok></>")
        // The fault is in the stanza's own tag, or in that of an element in it.
        for (before, after) in [
            ("", ""), ("<message id='1'>\n text ", " <b/></message>"), ("<iq><x xmlns='u'>\n", "</x></iq>"),
        ] {
            ParserCase("¦<ok/>\n¦\(before)\(tag)\(after)\n¦<ok/></stream:stream>", ok, .rejected(kind), ok, .end)
                .expect(.stream, after: header)
        }
        // Other input is strict: documents, fragments, and the header of a stream.
        ParserCase(tag, .error(kind)).expect(.document)
        ParserCase(tag + "\n¦<ok/>", .error(kind), "<ok></>").expect(.fragments(in: .empty))
        ParserCase(tag + "<ok/>", .error(kind)).expect(.stream)
    }

    /// What real servers relayed.
    @Test func relayedFaults() throws {
        let file = packageFolder.appending(path: "Grammar/corpus/namespace-faults.xml")
        let found = transcript(try Array(Data(contentsOf: file)), .stream)
        #expect(found.rejected.map { "\($0.position.line) \($0.id ?? "")" } == ["3 2", "4 3"])
        #expect(found.lines.count { $0.contains("id='1'") || $0.contains("id='4'") } == 2)
    }
}
