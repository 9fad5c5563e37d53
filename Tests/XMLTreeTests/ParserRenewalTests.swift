// Long streams: the parser replaces contexts and name tables between stanzas, without an effect on its events.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct ParserRenewalTests {
    /// A parser that renews after almost every stanza reports the same events as one that never does.
    @Test(arguments: [Renewal(names: 0, bytes: 0), Renewal(names: 3, bytes: .max), Renewal(names: .max, bytes: 100)])
    func renewalDoesNotShow(_ renewal: Renewal) {
        let never = Renewal(names: .max, bytes: .max)
        for (mode, text) in ParserChunksTests.inputs {
            let expected = transcript(text, mode, renewal: never)
            for chunk in 1...text.utf8.count {
                let other = transcript(text, mode, chunk: chunk, renewal: renewal)
                #expect(other == expected, "chunks of \(chunk)")
                if other != expected { break }
            }
        }
    }

    @Test func bindingsOutliveRenewal() {
        let root = "<s:stream xmlns:s='urn:&amp;&lt;&apos;\"' xmlns='urn:\u{E9}&#10;' xmlns:x='urn:x'>"
        let text = root + String(repeating: "<a x:b='1'/>\n", count: 5) + "</s:stream>"
        let lines = transcript(text, .stream, renewal: Renewal(names: 0, bytes: 0)).lines
        #expect(lines.count == 7)
        #expect(Set(lines[1...5].map { $0.split(separator: " ", maxSplits: 2)[2] }).count == 1)
        #expect(lines[5] == "element 5:1@\(root.utf8.count + 4 * 13) <{urn:\u{E9}\n}a {urn:x}x:b='1'></>")
    }

    /// More distinct names than a parser keeps, in constant memory.
    @Test func namesWithoutEnd() throws {
        #if DEBUG
        let count = 100_000
        #else
        let count = 3_000_000
        #endif
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(header)
        guard case .streamStart? = try parser.next() else {
            Issue.record("no header")
            return
        }
        var next = 0
        var delivered = 0
        var buffer: [UInt8] = []
        var sizes = 0
        var tables = Set<ObjectIdentifier>()
        while next < count {
            while buffer.count < 50_000 {
                buffer += "<n\(next) xmlns='urn:\(next)' a\(next + 1)='x'/>".utf8
                next += 3
            }
            // Chunks of odd sizes, up to some thousand bytes.
            sizes = (sizes &* 31 &+ 17) % 7919
            parser.feed(buffer.prefix(sizes + 1))
            buffer.removeFirst(min(sizes + 1, buffer.count))
            while let event = try parser.next() {
                guard case .element(let element, _) = event else { continue }
                let record = element.view.name(of: element.index)
                let name = String(decoding: element.view.nameBytes.string(at: record.localReference), as: UTF8.self)
                #expect(name == "n\(delivered * 3)")
                // Tables are kept alive by their trees only, so each is as small as the next.
                #expect(element.tree.dictionary.names.recordCapacity <= 4 * Renewal.standard.names)
                tables.insert(ObjectIdentifier(element.tree.dictionary.names))
                delivered += 1
            }
        }
        parser.feed(buffer)
        while try parser.next() != nil { delivered += 1 }
        #expect(delivered == next / 3)
        #expect(tables.count > 2)
    }

    /// A header that alone exceeds the thresholds of renewal does not cause a renewal after each stanza.
    @Test func largeHeadersAreNotBoundAnewForEachStanza() throws {
        let long = String(repeating: "n", count: 1000)
        let root = "<s xmlns='u'" + (0..<500).map { " xmlns:p\($0)='\($0)\(long)'" }.joined() + ">"
        var parser = XMLStreamParser(mode: .stream, limits: ParserLimits(attributes: 1000))
        parser.feed(root)
        var elements: [Element] = []
        for _ in 0..<100 {
            parser.feed("<a/>")
            while let event = try parser.next() {
                if case .element(let element, _) = event { elements.append(element) }
            }
        }
        #expect(elements.count == 100)
        #expect(Set(elements.map { ObjectIdentifier($0.tree.dictionary.names) }).count <= 2)
    }

    /// Small stanzas that use many long namespaces of the header share one table with all of them.
    @Test(arguments: [200, 1000])
    func longNamespacesOfTheHeaderAreNotStoredAnewForEachStanza(_ length: Int) throws {
        let long = String(repeating: "n", count: length)
        let root = "<s xmlns='u'" + (0..<250).map { " xmlns:p\($0)='\($0)\(long)'" }.joined() + ">"
        var parser = XMLStreamParser(mode: .stream, limits: ParserLimits(attributes: 1000))
        parser.feed(root)
        var tables: [ObjectIdentifier] = []
        // Keep them alive, so that no table reuses the address of another.
        var elements: [Element] = []
        for round in 0..<200 {
            parser.feed("<a" + (0..<250).map { " p\($0):x='\(round)'" }.joined() + "/>")
            while let event = try parser.next() {
                guard case .element(let element, _) = event else { continue }
                elements.append(element)
                tables.append(ObjectIdentifier(element.tree.dictionary.names))
            }
        }
        #expect(elements.count == 200)
        let most = 4 * 250 * (length + 20) + 1 << 17
        #expect(elements.allSatisfy { $0.tree.dictionary.names.byteCapacity <= most })
        #expect(Set(tables).count <= 3)
        // Renewal does not store them again either.
        #expect(parser.dictionarySize < 1100)
    }

    @Test func manyParsersOnManyThreads() {
        let text = ParserChunksTests.stream + "</stream:stream>"
        let expected = transcript(text, .stream)
        let failures = onThreads(8) { thread in
            (1...80).allSatisfy { transcript(text, .stream, chunk: $0 + thread) == expected }
        }
        #expect(failures == 0)
    }
}
