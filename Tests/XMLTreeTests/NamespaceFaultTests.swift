// Well-formed stanzas of a stream that break Namespaces in XML 1.0: the parser rejects the stanza and reads on. In a
// stream's header, in documents and in fragments, the same faults are errors.

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite struct NamespaceFaultTests {
    /// A fault in a tag, with `¦` at its place.
    struct Fault: CustomTestStringConvertible {
        let tag: String
        let kind: XMLParseError.Kind

        init(_ tag: String, _ kind: XMLParseError.Kind) {
            self.tag = tag
            self.kind = kind
        }

        var testDescription: String { tag }
        var input: String { tag.replacing("¦", with: "") }
    }

    static let faults = [
        // Undeclared prefixes, and the prefix of declarations.
        Fault("<¦p:m/>", .unboundPrefix("p")),
        Fault("<m ¦p:a='1'/>", .unboundPrefix("p")),
        Fault("<¦xmlns:m/>", .unboundPrefix("xmlns")),
        Fault("<m xmlns='urn:p' ¦p:y='1'></m>", .unboundPrefix("p")),
        // Two attributes of one expanded name.
        Fault("<m xmlns:p='u' xmlns:q='u' p:a='1' ¦q:a='2'/>", .duplicateAttribute("q:a")),
        // Reserved prefixes and namespaces.
        Fault("<m ¦xmlns:xml='u'/>", reserved("the prefix 'xml' has a namespace of its own")),
        Fault("<m ¦xmlns:xmlns='u'/>", reserved("the prefix 'xmlns' must not be declared")),
        Fault(
            "<m ¦xmlns:xmlns='http://www.w3.org/2000/xmlns/'/>", reserved("the prefix 'xmlns' must not be declared")),
        Fault("<m ¦xmlns:p='http://www.w3.org/2000/xmlns/'/>", reserved("nothing may be bound to this namespace")),
        Fault("<m ¦xmlns='http://www.w3.org/2000/xmlns/'/>", reserved("nothing may be bound to this namespace")),
        Fault(
            "<m ¦xmlns:p='http://www.w3.org/XML/1998/namespace' p:a='1'/>",
            reserved("only the prefix 'xml' has this namespace")),
        Fault(
            "<m ¦xmlns='http://www.w3.org/XML/1998/namespace'/>", reserved("only the prefix 'xml' has this namespace")),
        Fault(
            "<m ¦xmlns:p=''/>",
            .namespaceFault("a prefix cannot be bound to no namespace; write a namespace, or remove the prefix")),
        // Misplaced colons.
        Fault("<a:b¦:c/>", .misplacedColon), Fault("<¦:m/>", .misplacedColon), Fault("<m:¦ />", .misplacedColon),
        Fault("<¦:/>", .misplacedColon), Fault("<¦::>x</::>", .misplacedColon),
        Fault("<m a:b¦:c='1'/>", .misplacedColon), Fault("<m ¦:a='1'/>", .misplacedColon),
        Fault("<m a:¦='1'/>", .misplacedColon), Fault("<m xmlns:¦='u'/>", .misplacedColon),
        Fault("<m xmlns:a¦:b='u'/>", .misplacedColon), Fault("<a:¦1/>", .misplacedColon),
        Fault("<m é:¦-='1'></m>", .misplacedColon),
    ]

    private static func reserved(_ reason: String) -> XMLParseError.Kind {
        .namespaceFault(reason + "; remove the declaration")
    }

    /// Stanzas with the fault in their own tag, or in that of an element in them.
    private static let places = ["¦¦", "<message id='1'>\n text ¦¦ <b/></message>", "<iq><x xmlns='u'>\n¦¦</x></iq>"]

    @Test(arguments: faults)
    func faultsEndTheStanza(_ fault: Fault) throws {
        for content in Self.places {
            let stanza = content.replacing("¦¦", with: fault.tag)
            let marked = header + "<ok/>\n" + stanza + "\n<ok n='2'/></stream:stream>"
            let text = marked.replacing("¦", with: "")
            let start = place(of: stanza.replacing("¦", with: ""), in: text)
            let expected = [
                "element \(place(of: "<ok/>", in: text)) <{jabber:client}ok></>",
                "rejected \(fault.kind) at \(place(of: "¦", in: marked)) in \(start)",
                "element \(place(of: "<ok n", in: text)) <{jabber:client}ok n='2'></>",
                "end",
            ]
            for chunk in [1, 2, 3, 7, .max] {
                let lines = Array(transcript(text, .stream, chunk: chunk).lines.dropFirst())
                #expect(lines == expected, "chunks of \(chunk)")
            }
        }
        #expect(XMLParseError(fault.kind, at: .start).streamCondition == .notWellFormed)
    }

    /// Documents, fragments, and the header of a stream.
    @Test(arguments: faults)
    func otherInputIsStrict(_ fault: Fault) {
        let error = "error \(fault.kind) at \(place(of: "¦", in: fault.tag))"
        for chunk in [1, .max] {
            #expect(transcript(fault.input, .document, chunk: chunk).lines == [error])
            #expect(transcript(fault.input + "\n<ok/>", .fragments(in: .empty), chunk: chunk).lines.first == error)
            #expect(transcript(fault.input + "<ok/>", .stream, chunk: chunk).lines == [error])
        }
        #expect(throws: XMLParseError.self) { try Element(parsing: fault.input) }
    }

    /// XML that is not well-formed ends the stream beside a fault. After it, only markup decides.
    @Test(arguments: [
        ("<p:m a='1' ¦a='2'/>", XMLParseError.Kind.duplicateAttribute("a")),
        ("<m xmlns:p='u' ¦xmlns:p='v'/>", .duplicateAttribute("xmlns:p")),
        ("<a:b:c x='1' ¦x='2'/>", .duplicateAttribute("x")),
        ("<m xmlns:p='u' xmlns:q='u' p:a='' q:a='' ¦p:a=''/>", .duplicateAttribute("p:a")),
        ("<m>¦</a:b:c></m>", .mismatchedEndTag),
        ("<a:b:¦&c/>", .malformed(XMLParseError.Expectation.name.rawValue)),
        ("<p:m>¦<!-- --></p:m>", .restricted(.comment)),
        ("<p:m><x ¦</p:m>", .lessThanInTag),
    ])
    func mistakesEndTheStream(_ stanza: String, _ kind: XMLParseError.Kind) {
        let marked = header + stanza + "<ok/>"
        let text = marked.replacing("¦", with: "")
        for chunk in [1, 5, .max] {
            let lines = transcript(text, .stream, chunk: chunk).lines
            #expect(lines.count == 2 && lines.last == "error \(kind) at \(place(of: "¦", in: marked))", "\(lines)")
        }
    }

    /// The known parts of a rejected stanza.
    @Test(arguments: [
        ("<message id='1' from='f' to='t' type='chat'><p:x/></message>", "message|jabber:client|1|f|t|chat"),
        ("<iq p:a='' type='get' id='&#50;'/>", "iq|jabber:client|2|||get"),
        ("<message id='3' xmlns:p=''/>", "message|jabber:client|3|||"),
        ("<presence :id='x' id='4' xml:id='y' from='f'/>", "presence|jabber:client|4|f||"),
        ("<m xmlns='urn:m' id='5' p:id='6'/>", "m|urn:m|5|||"),
        // The name of the stanza itself is not known.
        ("<p:message id='7'/>", "message||7|||"), ("<:message id='8'/>", ":message||8|||"),
        ("<message: id='9'/>", "message:||9|||"), ("<stream:message:x/>", "stream:message:x|||||"),
        // An element of the stream that is not a stanza.
        ("<stream:features><p:x/></stream:features>", "features|http://etherx.jabber.org/streams||||"),
    ])
    func knownProperties(_ stanza: String, _ expected: String) throws {
        for chunk in [1, 10, .max] {
            var parser = XMLStreamParser(mode: .stream)
            var found: [XMLStreamParser.RejectedStanza] = []
            let bytes = Array((header + stanza).utf8)
            for start in stride(from: 0, to: bytes.count, by: min(chunk, bytes.count)) {
                parser.feed(bytes[start..<min(start + min(chunk, bytes.count), bytes.count)])
                while let event = try parser.next() {
                    if case .rejected(let stanza) = event { found.append(stanza) }
                }
            }
            let one = try #require(found.first)
            let parts: [String?] = [one.name, one.namespace, one.id, one.from, one.to, one.type]
            #expect(found.count == 1 && parts.map { $0 ?? "" }.joined(separator: "|") == expected)
            #expect(one.isStartTagComplete && !one.isBeyondLimit)
            #expect(one.position.offset == header.utf8.count && one.error.position.offset > one.position.offset)
        }
    }

    /// What real servers relayed.
    @Test func relayedFaults() throws {
        let file = packageFolder.appending(path: "Grammar/corpus/namespace-faults.xml")
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(try Array(Data(contentsOf: file)))
        var (elements, rejected): ([String?], [String]) = ([], [])
        while let event = try parser.next() {
            if case .element(let stanza, _) = event { elements.append(stanza["id"]) }
            if case .rejected(let stanza) = event { rejected.append("\(stanza.position.line) \(stanza.id ?? "")") }
        }
        #expect(elements == ["1", "4"] && rejected == ["3 2", "4 3"])
    }

    /// The bindings of a rejected stanza end with it, and its names do not accumulate.
    @Test func rejectedStanzasLeaveNothing() throws {
        var parser = XMLStreamParser(mode: .stream, renewal: Renewal(names: 10, bytes: 1000))
        parser.feed(header)
        _ = try parser.next()
        for number in 0..<1_000 {
            parser.feed("<m xmlns='u' xmlns:p\(number)='v'><p\(number):x/><q\(number):x a='1'/></m><p\(number):m/>")
            for _ in 0..<2 {
                guard case .rejected? = try parser.next() else {
                    Issue.record("not rejected")
                    return
                }
            }
        }
        parser.feed("<m/>")
        guard case .element(let stanza, _)? = try parser.next() else {
            Issue.record("no element")
            return
        }
        let size = parser.dictionarySize
        #expect(stanza.namespace == "jabber:client" && size < 40)
    }

    /// A stanza that ends too early is reported as such, and one that is too long to skip ends the stream.
    @Test func endsOfRejectedStanzas() {
        #expect(
            transcript(header + "<m><p:x>", .stream).lines.last?.hasPrefix("error \(XMLParseError.Kind.unexpectedEnd)")
                == true)
        let limits = ParserLimits(bytes: 200, skippedBytes: 300)
        let long = header + "<p:m>" + String(repeating: "x", count: 300) + "</p:m>"
        let kind = XMLParseError.Kind.limit(.skippedBytes, maximum: 300)
        #expect(transcript(long, .stream, limits: limits).lines.last?.hasPrefix("error \(kind)") == true)
        let shorter = header + "<p:m>" + String(repeating: "x", count: 250) + "</p:m></stream:stream>"
        let lines = transcript(shorter, .stream, limits: limits).lines
        #expect(lines.count == 3 && lines[1].hasPrefix("rejected unboundPrefix"), "\(lines)")
    }
}
