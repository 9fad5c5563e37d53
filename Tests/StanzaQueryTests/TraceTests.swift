// Listings and traces: the compiled form of a query, and its steps.

import QuerySyntax
import Testing

@testable import QueryTools
@testable import StanzaQuery

extension String {
    /// Whether a character in it, but for line feeds, cannot be seen as itself: explanations show more of a query than
    /// what terminals obey (SafeText).
    var hidesCharacters: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }
}

@Suite struct TraceTests {
    @Test func listingWithBytes() throws {
        // Each step is followed by its sixteen bytes; the strings end the listing.
        let lines = try Query("a<k=bc>").listing(showingBytes: true).split(separator: "\n")
        #expect(lines.count == 8 && lines[1].split(separator: " ").count == MemoryLayout<Step>.size)
        #expect(lines.last?.contains("00 02 62 63") == true)
    }

    /// One step for the root, three for a child with a result, two for each other one. A result after the cut belongs
    /// to no step.
    @Test(arguments: [
        ("<a k='v'/>", 4_998, "", false, ["\"v\""]), ("<a k='v'/>", 4_999, "", true, ["\"v\""]),
        ("", 6_000, "<a k='v'/>", true, []), ("<a k='v'/>", 6_000, "<a k='v'/>", true, ["\"v\""]),
        ("", 4_999, "<a k='v'/>", true, []),
    ])
    func cuts(start: String, count: Int, end: String, isCut: Bool, results: [String]) throws {
        let root = try element("<r>\(start)\(String(repeating: "<a/>", count: count))\(end)</r>")
        let trace = try Query("*<k~.>@k").trace(on: root)
        #expect(trace.steps.count == QueryTrace.maximumSteps && trace.isCut == isCut)
        #expect(trace.steps.compactMap(\.result) == results)
    }

    @Test(arguments: [
        "{a\nb}c<d~\u{1B}]0;x\u{7}>", "a<k='\u{9B}31m\u{202E}'>", "a<xmlns=\n\u{2028}>", "{x\u{85}y}a/{\n}*@{\u{9B}}k",
        #"\{\#u{9B}\#n}@\#u{202E}\"#,
    ])
    func eachInstructionKeepsItsLine(source: String) throws {
        let query = try Query(source)
        let lines = query.listedInstructions.map(\.text)
        let root = try element("<r><c xmlns='a&#10;b' d='x'/></r>")
        let trace = try query.trace(on: root)
        #expect(query.listing.unicodeScalars.split(separator: "\n").count == lines.count)
        #expect(trace.description.unicodeScalars.split(separator: "\n").count == trace.steps.count)
        let steps = QueryStatistics(of: query).steps.map(\.instruction)
        for text in lines + steps + trace.steps.map(\.instruction) + [ParsedQuery(parsing: source).tree.description] {
            #expect(!text.hidesCharacters, "\(text.debugDescription)")
        }
    }

    /// Different content looks different: in listings, statistics, traces and explanations of sets as in outlines.
    @Test(arguments: [
        ("\u{E9}<k=a>", "e\u{301}<k=a>"), ("a<k=v>", "a\u{200D}<k=v>"), ("a<k=v>", "a<k=v\u{200B}>"),
        ("a<k=v\u{200B}>", "a<k=v\u{200C}>"), ("a<k=v w>", "a<k=v\u{A0}w>"), ("{u}a<k=v>", "{u\u{FEFF}}a<k=v>"),
        ("a<k=\u{1}>", "a<k=\u{2401}>"), (#"a<k=\u{200B}>"#, "a<k=\u{200B}>"),
        ("a<k=\u{AC00}>", "a<k=\u{1100}\u{1161}>"),
        ("a<k~x.\u{85}>", "a<k~x.\u{9B}>"), ("a@{u\u{2060}}k", "a@{u}k"), (#"\@x\#u{3164}\"#, #"\@x\"#),
        (#"\{u}@x\"#, #"\{u\#u{202E}}@x\"#),
    ])
    func differentQueriesLookDifferent(one: String, other: String) throws {
        func shown(_ source: String) throws -> [[Unicode.Scalar]] {
            let query = try Query(source)
            let set = try QuerySet([query])
            let texts = [
                ParsedQuery(parsing: source).tree.description, query.listedInstructions.map(\.text).joined(),
                QueryStatistics(of: query).steps.map(\.instruction).joined(), set.explanation,
            ]
            return texts.map { Array($0.unicodeScalars) }
        }
        for (left, right) in zip(try shown(one), try shown(other)) {
            #expect(left != right)
            let scalars = (left + right).filter { $0 != "\n" }
            #expect(scalars.allSatisfy { $0.isASCII || "\u{E9}\u{1100}\u{AC00}\u{2401}".unicodeScalars.contains($0) })
        }
    }

    /// A listing names an element as the outline does: nothing is escaped twice, and a name that is demanded is not
    /// shown as the one that is excluded beside it.
    @Test(arguments: [
        ("{u\u{200B}}a", #"{u\u{200B}}a"#), ("@{u\u{A0}}k", #"{u\u{A0}}k"#), ("{u}a/{u}!a", "{u}a"),
        ("{u\u{200B}}a<xmlns=v\u{200B}>", #"{u\u{200B}}a"#), ("\u{E9}\u{1F600}\u{4E00}", "\u{E9}\u{1F600}\u{4E00}"),
    ])
    func namesAreEscapedOnce(source: String, name: String) throws {
        let query = try Query(source)
        let outline = ParsedQuery(parsing: source).tree.description
        #expect(outline.contains(name), "\(outline)")
        let texts = query.listedInstructions.map(\.text)
        let words = texts.flatMap { $0.split(whereSeparator: { ", ".contains($0) }) }
        #expect(words.contains { $0 == name || $0 == "@" + name }, "\(texts)")
    }

    @Test func tracesAreVisible() throws {
        let root = try element("<r k='&#x9b;31m&#x202e;&#x2028;'><e\u{301}\u{200D}/></r>")
        #expect(try Query("*").trace(on: root).steps.contains { $0.element == #"r/e\u{301}\u{200D}[0]"# })
        for query in ["/@k", "/@@"] {
            let result = try #require(try Query(query).trace(on: root).steps.compactMap(\.result).first)
            #expect(result.contains(#"\u{9B}31m\u{202E}\u{2028}"#) && !result.hidesCharacters, "\(result)")
        }
    }

    /// Ten thousand steps on long names and with long values would make gigabytes otherwise, and looking for the place
    /// of each child would be quadratic work.
    @Test func aTraceOfLongTextsIsShort() throws {
        let name = String(repeating: "n", count: 1_000)
        let text = String(repeating: "t", count: 100_000)
        let depth = 200
        let open = String(repeating: "<\(name)>", count: depth)
        let close = String(repeating: "</\(name)>", count: depth)
        let limits = ParserLimits(bytes: 1 << 23)
        let deep = try Element(
            parsing: "<r>\(open)\(String(repeating: "<b/>", count: 6_000))\(close)</r>", limits: limits)
        let query = try Query(String(repeating: "*/", count: depth) + "*<k=\(text)>")
        let trace = try query.trace(on: deep)
        #expect(trace.isCut && trace.steps.count == QueryTrace.maximumSteps)
        for step in trace.steps {
            for part in [step.element, step.instruction] {
                #expect(part.unicodeScalars.count <= QueryTrace.maximumTextLength + 10)
            }
        }
        #expect(trace.steps.contains { $0.element.hasPrefix("…/") && $0.element.hasSuffix("…[0]/b[0]") })
        #expect(trace.steps.contains { $0.instruction.hasSuffix("ttt…") })
        #expect(trace.description.utf8.count < 1 << 23)

        let values = try element("<r k='\(text)' l='\u{1F468}'>\(text)</r>")
        for (query, end) in [("/@k", "t\"…"), ("/@@", "t…"), ("/#", "t\"…"), ("/@l", "\u{1F468}\"")] {
            let result = try #require(try Query(query).trace(on: values).steps.compactMap(\.result).first)
            #expect(result.hasSuffix(end) && result.unicodeScalars.count <= QueryTrace.maximumTextLength + 10)
        }
    }

    @Test func aLongOperandWidensNoOtherLine() throws {
        let long = try Query(String(repeating: "a/", count: 1_000) + "a<k=\(String(repeating: "x", count: 20_000))>")
        #expect(long.listing.utf8.count < 500_000)
        #expect(long.listing.contains(String(repeating: "x", count: 20_000)))
        let short = try Query("a/bb<k=v>").listedInstructions.map { $0.text.prefix { $0 != "(" }.count }
        #expect(Set(short).count == 1)
    }

    @Test func argumentsAreTraced() throws {
        let root = try element("<r><a k='v'/></r>")
        #expect(try Query("a<k=%@>").trace(on: root, arguments: ["v"]).steps.last?.address == 0)
        #expect(throws: QueryError.self) { try Query("a<k=%@>").trace(on: root) }
    }

    /// Each kind of result in a few words.
    @Test(arguments: [
        ("", "the element r"), ("a", "the element r/a[0]"), ("a@k", #""7""#),
        ("a@@", #"["xmlns": "jabber:client", "k": "7"]"#), ("a@k|int", "7"),
        ("a@k|uint", "7"), ("a@k|bool", "false"), ("a@k|double", "7.0"), ("a#|base64", "3 bytes"),
        (#"\\"#, "the form r/x[1]"),
        (#"\&f\"#, #"the field "f""#), ("a#|uuidcast", "D9CAE0DB-DBF0-48B2-820E-2ABE5FCD74BC"),
    ])
    func resultsInWords(query: String, text: String) throws {
        let root = try element("<r><a k='7'>QUJD</a><x xmlns='jabber:x:data'><field var='f'/></x></r>")
        #expect(try Query(query).trace(on: root).steps.compactMap(\.result) == [text])
    }
}
