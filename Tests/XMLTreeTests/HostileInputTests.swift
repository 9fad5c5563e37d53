// The cost of attacks, in memory and in time: every opening of markup with every filler, stanzas without end, and many
// names. STANZA_HOSTILE=large enables sizes that take minutes (.ci/long).

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite(.serialized) struct HostileInputTests {
    private static let isLarge = ProcessInfo.processInfo.environment["STANZA_HOSTILE"] == "large"
    /// The bytes before those whose time is measured, and the number of the latter.
    private static let waiting = (short: 1 << 6, long: isLarge ? 1 << 16 : 1 << 12)
    private static let measuredBytes = 64

    /// The text before the filler, which may leave markup open.
    private static let openings = [
        "", " ", "<", "<a", "<a ", "<a b", "<a b=", "<a b='", "<a b=''", "<a/", "<a xmlns:p='", "<a></", "<a></a",
        "<a></a ", "<a></b", "<a></a '", "<a>", "<a> ", "<a>x", "<a>&", "<a>&#", "<a>&#x", "<a>&lt", "<a>]", "<a>]]",
        "<a><!", "<a><!-", "<a><!--", "<a><!---", "<a><![", "<a><![CDATA[", "<a><![CDATA[]", "<a><?", "<a><?p",
        "<a><?p ", "<a><?p ?", "<a/>", "<a/> ", "<a/><", "<a/>&", "<a/>&#", "<!", "<!-", "<!--", "<!-- -", "<!D",
        "<!x '", "<!-x '", "<!Dx '", "<![CDATA[", "<!DOCTYPE", "<!DOCTYPE a", "<!DOCTYPE a [", "<!DOCTYPE a [<",
        "<!DOCTYPE a [<!", "<!DOCTYPE a [<!ENTITY b '", "<!DOCTYPE a [<!ENTITY % b '", "<!DOCTYPE a [<!ATTLIST a ",
        "<!DOCTYPE a [<!ELEMENT a (", "<!DOCTYPE a [<!--", "<!DOCTYPE a [<?p ", "<!DOCTYPE a []",
        "<!DOCTYPE a SYSTEM '",
        "<?", "<?p", "<?p ", "<?xml", "<?xml ", "<?xml version='",
    ]

    private static let fillers = [
        "x", " ", "\n", "\r", "\r\n", "<", ">", "> ", "'", "\"", "'>", "\">'", "'>'", "=", "/", "/>", "&", "&#", "&lt;",
        "&#0", ";", "0", "]", "]]", "]]>", "]]> ", "-", "--", "-->", "--> ", "?", "?>", "?> ", "!", "<!", "<!--", "<a>",
        "</a>", "<a/>", "<?", "[", "(", "|", "a b ", "b='' ", "\u{E9}", "%", "%b;", ":", "<b ", "<b>'</b>",
        "<![CDATA[>]]>", "a='' ",
    ]

    /// All modes, each with the text before the opening.
    private static let modes: [(XMLStreamParser.Mode, String)] = [
        (.stream, ""), (.stream, header), (.document, ""), (.fragments(in: .clientStream), ""),
    ]

    private func input(_ beginning: String, _ filler: String, _ length: Int) -> [UInt8] {
        Array((beginning + String(repeating: filler, count: length / filler.utf8.count)).utf8)
    }

    // MARK: Time

    /// A single byte costs the same after a short input and after a long one, which comes at once: nothing is scanned
    /// twice. And some hundred bytes give the same output at once and byte by byte. A short run takes every fifth
    /// filler, beginning with another one for each opening and seed.
    @Test(arguments: openings.indices) func aByteCostsTheSameAfterAnyInput(_ index: Int) {
        let opening = Self.openings[index]
        let part = Self.isLarge ? 1 : 5
        let first = (index + Int(SeededGenerator.seed % UInt64(part))) % part
        for filler in stride(from: first, to: Self.fillers.count, by: part).map({ Self.fillers[$0] }) {
            for (mode, before) in Self.modes {
                let name: Comment = "\(opening)\(filler)… in \(before.isEmpty ? "" : "the root of ")\(mode)"
                func seconds(_ length: Int) -> Double {
                    var parser = XMLStreamParser(mode: mode, limits: .document)
                    feed(input(before + opening, filler, length)[...], &parser)
                    let bytes = input("", filler, Self.measuredBytes)
                    return processorTime { for index in bytes.indices { feed(bytes[index...index], &parser) } }
                }
                let growth = growth(
                    fromSeconds: { seconds(Self.waiting.short) }, toSeconds: { seconds(Self.waiting.long) }, below: 10)
                #expect(growth < 10, name)
                let bytes = input(before + opening, filler, 1 << 9)
                let found = output(bytes, mode, limits: .document)
                #expect(output(bytes, mode, chunk: 1, limits: .document) == found, name)
                // White space alone makes no event.
                #expect(!found.lines.isEmpty || bytes.allSatisfy { Scan.isSpace($0) }, name)
            }
        }
    }

    /// Reads bytes, and drops all events and errors.
    private func feed(_ bytes: ArraySlice<UInt8>, _ parser: inout XMLStreamParser) {
        parser.feed(bytes)
        while true {
            do { while try parser.next() != nil {} } catch { continue }
            return
        }
    }

    /// Eight times the attributes or declarations of a tag, or levels of elements, take about eight times as long.
    @Test(arguments: [" a?='u'", " xmlns:p?='u'", "><b?"]) func tagsTakeLinearTime(_ part: String) {
        func read(_ count: Int) {
            let tag = "<s" + (0..<count).map { part.replacing("?", with: "\($0)") }.joined() + ">"
            let limits = ParserLimits(depth: .max, attributes: .max, declarations: .max)
            var parser = XMLStreamParser(mode: .document, limits: limits)
            parser.feed(tag)
            parser.finish()
            let error = #expect(throws: XMLParseError.self) { try parser.next() }
            #expect(error?.kind == .unexpectedEnd)
        }
        let growth = growth(from: { read(500) }, to: { read(4000) }, below: 20)
        #expect(growth < 20)
    }

    /// The length of a tag does not count for each stanza that is rejected after it: both together take about as long
    /// as one after the other.
    @Test func rejectedStanzasAfterALongTag() {
        func read(_ length: Int, rejected count: Int) {
            let text =
                "<a b='\(String(repeating: "x", count: length))'/>" + String(repeating: "<a><b/></a>", count: count)
            let found = output(Array(text.utf8), .fragments(in: .empty), limits: ParserLimits(depth: 1))
            #expect(found.rejected.count == count && found.lines.count == 1 + count)
        }
        let growth = growth(
            from: {
                read(1 << 19, rejected: 0)
                read(1, rejected: 1000)
            }, to: { read(1 << 19, rejected: 1000) }, below: 3)
        #expect(growth < 3)
    }

    // MARK: Memory

    /// The parser skips an endless stanza after the first limit, and refuses it soon after the second one, however
    /// small its pieces are.
    @Test(arguments: [
        ("<a>", "x"), ("<a>", "<b>"), ("<a>", "<b/>"), ("<a>", "<b>x</b>"), ("<a>", "&amp;"), ("<a>", "]"),
        ("<a><![CDATA[", "]] "), ("<a><![CDATA[", "<&"), ("<a>", "<![CDATA[x]]>"), ("<a b='", "> "), ("<a b='", "&lt;"),
        ("<a ", " "), ("<a", "x"), ("<", "x"), ("<p:", "x"), ("<a xmlns:", "x"), ("<a b='c' ", "x"),
        ("<a b='", "\u{20AC}"),
        ("<a>", "\r\n"), ("<a>&", "x"), ("<a></", "'"), ("<a></a", " "), ("<a></a", "x"), ("<a></a '", "> "),
        ("<a><", "x"),
        ("<a b=''", "a='' "), ("<a><b c='<", "x"),
    ])
    func nothingGrowsBeyondTheLimit(_ opening: String, _ filler: String) {
        let (bytes, skippedBytes) = (1 << 18, 1 << 19)
        var parser = XMLStreamParser(
            mode: .stream, limits: ParserLimits(bytes: bytes, elements: bytes / 16, skippedBytes: skippedBytes))
        parser.feed(header + opening)
        let piece = Array(String(repeating: filler, count: 4096 / filler.utf8.count).utf8)
        var (fed, largest) = (0, 0)
        var found = Transcript()
        while fed < 2 * skippedBytes, found.errors.isEmpty {
            parser.feed(piece)
            fed += piece.count
            let held = parser.bufferCapacity + parser.inputCapacity
            largest = max(largest, held)
            #expect(fed < bytes + piece.count || held < bytes, "\(held) bytes of a skipped stanza")
            found.drain(&parser)
        }
        #expect(found.errors.count == 1 && fed <= skippedBytes + piece.count, "after \(fed)")
        #expect(largest <= 8 * bytes, "\(largest) bytes")
    }

    /// The memory for a long value with references ends with its stanza, with an error, and at the end of its slice.
    @Test(arguments: ["<a b='?'/>", "<a><b c='?'/>", "<a b='?", "<p:a b='?'/>"])
    func decodedValuesAreNotKept(_ stanza: String) {
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(header + stanza.replacing("?", with: "&lt;" + String(repeating: "x", count: 1 << 19)))
        var found = Transcript()
        found.drain(&parser)
        let capacity = parser.tokenizer.decoded.capacityInBytes
        #expect(capacity < 1 << 16)
    }

    /// The parser frees the large buffers of a large stanza, whatever made it large, and whether or not it was valid.
    @Test(arguments: [("<b/>", 50_000), ("<b c='' d='' e='' f=''/>", 20_000), ("x", 500_000)], ["</a>\n", "</x>\n"])
    func largeBuffersAreFreed(_ part: (text: String, count: Int), _ end: String) {
        var parser = XMLStreamParser(mode: .fragments(in: .empty))
        let small = parser.bufferCapacity
        parser.feed("<a>" + String(repeating: part.text, count: part.count))
        let large = parser.bufferCapacity
        parser.feed(end)
        let kept = parser.bufferCapacity
        #expect(large > 400_000 && kept == small)
        var stream = XMLStreamParser(mode: .stream)
        stream.feed("<s a='\(String(repeating: "x", count: 500_000))'>")
        let keptOfHeader = stream.bufferCapacity
        #expect(keptOfHeader == small)
    }

    // MARK: Names

    /// Distinct names without end do not increase the memory of the parser, and each tree keeps a small table alive.
    @Test func namesWithoutEnd() throws {
        let (count, namesOfAStanza) = (Self.isLarge ? 10_000_000 : 300_000, 100)
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(header)
        _ = try parser.next()
        var largest = (dictionary: 0, buffers: 0, names: 0, table: 0)
        var tables = Set<ObjectIdentifier>()
        for first in stride(from: 0, to: count, by: namesOfAStanza) {
            let attributes = (first + 1..<first + namesOfAStanza - 1).map { " a\($0)=''" }.joined()
            parser.feed("<n\(first) xmlns='urn:\(first)'\(attributes)/>")
            let element = try parser.nextElement()
            #expect(element.name == "n\(first)" && element.attributes.count == namesOfAStanza - 2)
            let table = element.tree.dictionary.names
            tables.insert(ObjectIdentifier(table))
            largest.table = max(largest.table, table.recordCapacity)
            largest.dictionary = max(largest.dictionary, parser.dictionarySize)
            largest.buffers = max(largest.buffers, parser.bufferCapacity)
            largest.names = max(largest.names, parser.nameCapacity)
        }
        #expect(tables.count > 2)
        #expect(largest.table <= 4 * Renewal.standard.names, "\(largest.table) names of a tree")
        #expect(largest.dictionary < 2 * Renewal.standard.names, "\(largest.dictionary) names")
        #expect(largest.buffers < 1 << 16, "\(largest.buffers) bytes")
        // All names would need more than 3 MB, and their records twice that.
        #expect(largest.names < 4 << 20, "\(largest.names) bytes of names")
    }

    /// The names of rejected and invalid stanzas, and of markup between fragments, do not accumulate either.
    @Test(arguments: [
        ("<n#><m# a#='1'/></x>\n", false), ("<n# x>\n", false), ("<a xmlns:p#='u#' b#='1' b#='1'/>\n", false),
        ("<n# a#='", false), ("<?t# x?><!-- c -->\n", false), ("<n#><m# a#='1'/></x>\n<ok/>\n", false),
        ("<m xmlns='u' xmlns:p#='v'><p#:x/><q#:x a='1'/></m><p#:m/>", true),
    ])
    func namesOfBadInputDoNotPileUp(_ line: String, _ isStream: Bool) throws {
        let mode = isStream ? XMLStreamParser.Mode.stream : .fragments(in: .empty)
        var parser = XMLStreamParser(mode: mode, renewal: Renewal(names: 100, bytes: .max))
        if isStream { parser.feed(header) }
        var found = Transcript()
        for number in 0..<2000 {
            parser.feed(line.replacing("#", with: "\(number)"))
            found.drain(&parser)
            let size = parser.dictionarySize
            #expect(size < 200)
            if size > 200 { return }
            if line.hasSuffix("'") { parser.reset() }
        }
        let failures = isStream ? found.rejected.count / 2 : found.errors.count
        #expect(failures == (line.hasSuffix("'") || line.hasPrefix("<?") ? 0 : 2000))
        parser.feed("<a/>")
        let element = try parser.nextElement()
        #expect(element.namespace == (isStream ? "jabber:client" : nil))
        #expect(element.tree.dictionary.names.recordCapacity <= 256)
    }

    /// The parser does not keep the names of attributes beyond the limit.
    @Test func attributesBeyondTheLimitAreNotKept() {
        var parser = XMLStreamParser(mode: .fragments(in: .empty), limits: ParserLimits(attributes: 5))
        let text = "<m" + (1...2000).map { " a\($0)=''" }.joined() + "/>"
        #expect(
            Transcript(of: Array(text.utf8), in: &parser).rejected.map(\.error.kind) == [
                .limit(.attributes, maximum: 5)
            ])
        let size = parser.dictionarySize
        #expect(size < 20)
    }

    /// A header that alone exceeds the thresholds of renewal does not cause a renewal after each stanza. Stanzas that
    /// use many of its namespaces share one table with all of them.
    @Test(arguments: [(500, 1000, 0), (250, 200, 250), (250, 1000, 250)])
    func largeHeadersAreNotBoundAnew(_ declarations: Int, _ length: Int, used: Int) throws {
        let long = String(repeating: "n", count: length)
        var parser = XMLStreamParser(mode: .stream, limits: ParserLimits(attributes: 1000))
        parser.feed("<s xmlns='u'" + (0..<declarations).map { " xmlns:p\($0)='\($0)\(long)'" }.joined() + ">")
        _ = try parser.next()
        // Keep the trees alive, so that no table reuses the address of another.
        var elements: [Element] = []
        for round in 0..<200 {
            parser.feed("<a" + (0..<used).map { " p\($0):x='\(round)'" }.joined() + "/>")
            elements.append(try parser.nextElement())
        }
        #expect(Set(elements.map { ObjectIdentifier($0.tree.dictionary.names) }).count <= 3)
        let most = 4 * declarations * (length + 20) + 1 << 17
        #expect(elements.allSatisfy { $0.tree.dictionary.names.byteCapacity <= most })
        // Renewal does not store the namespaces again either.
        #expect(parser.dictionarySize < 1100)
    }

    /// The small stanzas after a stanza with long names do not keep these names alive, however few they are.
    @Test func stanzasLetGoOfLongNames() throws {
        let names = (0..<800).map { "<n\($0)\(String(repeating: "x", count: 1000))/>" }
        for context in [NamespaceContext.empty, .clientStream] {
            var parser = XMLStreamParser(mode: .fragments(in: context))
            for _ in 0..<3 {
                parser.feed("<a><b/></a><a/><m>\(names.joined())</m><a><b/></a><a/>")
                var sizes: [Int] = []
                while case .element(let element, _)? = try parser.next() {
                    sizes.append(element.tree.dictionary.names.capacityInBytes)
                }
                #expect(sizes.count == 5 && sizes.max() ?? 0 > 800_000)
                #expect(sizes.suffix(2).allSatisfy { $0 < 3 * Renewal.tableBytes }, "\(sizes)")
            }
        }
    }
}
