// The recovery of fragments after errors: at the end of the input, after bad bytes, and in linear time.

import Testing

@testable import XMLTree

@Suite struct ParserRecoveryTests {
    private static let mode = XMLStreamParser.Mode.fragments(in: .empty)

    /// Expects these errors, then these elements, in chunks of every size. Each `¦` marks the place of an error and
    /// does not belong to the text.
    private func expect(_ marked: String, _ kinds: [XMLParseError.Kind], then names: [String] = []) {
        let parts = marked.split(separator: "¦", omittingEmptySubsequences: false)
        let text = parts.joined()
        var expected: [String] = []
        var before = ""
        for (part, kind) in zip(parts, kinds) {
            before += part
            expected.append("error \(kind) at \(place(of: "¦", in: before + "¦"))")
        }
        for name in names { expected.append("element \(place(of: "<\(name)", in: text)) <\(name)></>") }
        for chunk in 1...text.utf8.count {
            let lines = transcript(text, Self.mode, chunk: chunk).lines
            #expect(lines == expected, "\(text.debugDescription) in chunks of \(chunk)")
            if lines != expected { return }
        }
    }

    private static let hyphens = XMLParseError.Kind.malformed("'--' must not occur in a comment")

    // MARK: Ends

    /// All markup without an end belongs to the incomplete fragment.
    @Test func unfinishedFragmentsAreOneError() {
        for text in [
            "<a><![CDATA[\n<b/>\n", "<a><![CDATA[\n<b/>\n<c/>\n", "<a><!--\n",
            "<a><!--\n<c/>\n<d/>",
            "<a><?x\n<c/>\n<d/>", "<!--\n<c/>\n", "<a>\n<c/>\n<d/>", "<a>x\n<b/> ]]\n<c/>", "<a", "<a>&x", "<a b='\n",
            "<a></a\n", "<?x", "<a/ ", "<?xml version='1.0'",
        ] {
            for chunk in 1...text.utf8.count {
                let lines = transcript(text, Self.mode, chunk: chunk).lines.filter { $0.hasPrefix("error") }
                #expect(lines.count == 1, "\(text.debugDescription) in chunks of \(chunk): \(lines)")
            }
        }
    }

    /// After an error that shows only at the end of the input, the parser reads the fragments that follow it.
    @Test func inputAfterAnErrorAtTheEndIsRead() {
        expect("<a><!--\n<b/> ¦-- \n<c/>\n<d/>", [Self.hyphens], then: ["c", "d"])
        expect("<a><!--\n<a><!¦--\n<a><!--\n¦", [Self.hyphens, .unexpectedEnd])
        expect("<a><!--\n<a><!¦--\n<b/>\n<a><!--\n¦", [Self.hyphens], then: ["b"], last: .unexpectedEnd)
        expect("<a><!--\n\u{E9} ¦-- -->\n<c/>\n<d/>", [Self.hyphens], then: ["c", "d"])
        expect("<a></a\n¦<c/>\n<d/>", [.lessThanInTag], then: ["c", "d"])
        expect("<a></a\n¦<c¦", [.lessThanInTag, .unexpectedEnd])
        expect("<a>¦&<b/>\n</a>\n<c/>", [.incompleteReference], then: ["c"])
        expect("<a b=\n¦<c/>\n<d/>", [.lessThanInTag], then: ["c", "d"])
        expect("<a \n¦<c/>\n<d/>", [.lessThanInTag], then: ["c", "d"])
        expect("<a b='' b\n¦<c/>\n<d/>", [.lessThanInTag], then: ["c", "d"])
        expect("<a b='\n¦<c/>\n<d/>", [.lessThanInTag], then: ["c", "d"])
    }

    private func expect(
        _ marked: String, _ kinds: [XMLParseError.Kind], then names: [String], last kind: XMLParseError.Kind
    ) {
        let text = marked.replacing("¦", with: "")
        let lines = transcript(text, Self.mode).lines
        #expect(lines.count == kinds.count + names.count + 1)
        #expect(lines.filter { $0.hasPrefix("element") }.count == names.count)
        #expect(lines.last == "error \(kind) at \(place(of: "¦", in: text + "¦"))")
    }

    /// The parser reports an invalid context only if the context is invalid.
    @Test func aValidContextIsNeverBlamed() {
        for unit in ["<a><!--\n", "<a><![CDATA[\n", "<a><?x\n", "<a>&\n", "<p:b/>\n", "<b></c>\n", "x\n", "<a b='\n"] {
            for end in ["", "<", "<a", "<a>", "--", "-->", "]]>", "?>"] {
                let text = String(repeating: unit, count: 5) + end
                for chunk in [1, 5, .max] {
                    for context in [NamespaceContext.empty, .clientStream] {
                        let lines = transcript(text, .fragments(in: context), chunk: chunk).lines
                        #expect(!lines.contains { $0.contains("invalidContext") }, "\(text.debugDescription)")
                        #expect(lines.count <= 7)
                    }
                }
            }
        }
    }

    // MARK: Beginnings

    @Test func textFirst() {
        expect("¦hello", [.textBetweenElements])
        expect("¦hello\n<a/>", [.textBetweenElements], then: ["a"])
        expect(" \n¦hello\n<a/>", [.textBetweenElements], then: ["a"])
        expect("¦<![CDATA[x]]>", [.textBetweenElements])
        expect("¦<![CDATA[x]]>\n<a/>", [.textBetweenElements], then: ["a"])
        for chunk in 1...3 {
            let lines = transcript("]]>", Self.mode, chunk: chunk).lines
            #expect(lines.count == 1)
            #expect(lines.first?.hasPrefix("error") == true)
        }
    }

    // MARK: Bad bytes

    /// One bad byte makes one error, which belongs to the fragment that contains it.
    @Test func aBadByteIsOneError() {
        for before in ["<a><!--\n<b>", "<a>", "<a b='", "<a><![CDATA[\n<b/>\n", "<a></a", "<!-- ", "<", "<a/>\n<", ""] {
            for (bytes, kind): ([UInt8], XMLParseError.Kind) in [
                ([0x01], .forbiddenCharacter("\u{1}")), ([0xF8], .invalidUTF8), ([0xC0, 0x80], .invalidUTF8),
                ([0xEF, 0xBF, 0xBE], .forbiddenCharacter("\u{FFFE}")), ([0xE2, 0x82], .invalidUTF8),
            ] {
                let input = Array(" ".utf8) + Array(before.utf8) + bytes + Array("x</b>\n<c/>\n".utf8)
                let offset = 1 + before.utf8.count
                for chunk in 1...input.count {
                    let lines = transcript(input, Self.mode, chunk: chunk).lines.drop { $0.hasSuffix("<a></>") }
                    #expect(lines.count == 2, "\(before.debugDescription) \(bytes)")
                    #expect(
                        lines.first?.hasPrefix("error \(kind) at ") == true
                            && lines.first?.hasSuffix("@\(offset)") == true)
                    #expect(lines.last?.hasSuffix("@\(input.count - 5) <c></>") == true)
                }
            }
        }
    }

    // MARK: Costs

    /// The parser skips fragments beyond the limit, in chunks of any size.
    @Test func readingContinuesAfterTheLimit() throws {
        let text = "<a>\n<b/>\n<c/>\n<d/>\n<e/>\n<f/></a>\n<g/>\n"
        let limits = ParserLimits(bytes: 16)
        let whole = transcript(text, Self.mode, limits: limits)
        try #require(whole.lines.count > 1)
        #expect(whole.lines == ["rejected bytes 1:1@0 a", "element \(place(of: "<g", in: text)) <g></>"])
        for chunk in 1...text.utf8.count {
            #expect(transcript(text, Self.mode, chunk: chunk, limits: limits) == whole)
        }
    }

    // MARK: Memory

    /// The parser drops the names of invalid fragments, as those of valid ones.
    @Test func namesOfBadFragmentsDoNotPileUp() throws {
        var parser = XMLStreamParser(mode: Self.mode, renewal: Renewal(names: 100, bytes: .max))
        var failures = 0
        var largest = 0
        for index in 0..<2000 {
            parser.feed("<n\(index)><m\(index) a\(index)='1'/></x>\n<ok/>\n")
            while true {
                do {
                    guard case .element(let element, _)? = try parser.next() else { break }
                    largest = max(largest, element.tree.dictionary.names.recordCapacity)
                } catch {
                    failures += 1
                }
            }
        }
        #expect(failures == 2000)
        #expect(largest <= 256)
    }

    /// The same without a valid fragment, and with inputs that a reset abandons.
    @Test(arguments: ["<n? x>\n", "<n?><m? a?='1'/></x>\n", "<a xmlns:p?='u?' b?='1' b?='1'/>\n", "<n? a?='"])
    func namesOfBadFragmentsAlone(_ line: String) throws {
        var parser = XMLStreamParser(mode: Self.mode, renewal: Renewal(names: 100, bytes: .max))
        var failures = 0
        for index in 0..<2000 {
            parser.feed(line.replacing("?", with: "\(index)"))
            do { while try parser.next() != nil {} } catch { failures += 1 }
            let size = parser.dictionarySize
            #expect(size <= 120)
            if size > 120 { return }
            if !line.hasSuffix("\n") { parser.reset() }
        }
        #expect(failures == (line.hasSuffix("\n") ? 2000 : 0))
    }

    /// Names of markup between fragments count for renewal, too.
    @Test func namesBetweenFragmentsRenewTheContext() throws {
        var parser = XMLStreamParser(mode: Self.mode, renewal: Renewal(names: 100, bytes: .max))
        for index in 0..<2000 {
            parser.feed("<?t\(index) x?><!-- c -->\n")
            let event = try parser.next()
            #expect(event == nil)
            let dictionarySize = parser.dictionarySize
            #expect(dictionarySize < 200)
        }
        parser.feed("<a/>")
        let event = try parser.next()
        #expect(event != nil)
    }

    /// The parser frees the large buffers of a large stanza, whatever made it large, and whether or not it was valid.
    @Test func largeBuffersAreFreed() throws {
        let parts = [
            String(repeating: "<b/>", count: 50_000), String(repeating: "<b c='' d='' e='' f=''/>", count: 20_000),
            String(repeating: "x", count: 500_000),
        ]
        for part in parts {
            for end in ["</a>\n", "</x>\n"] {
                var parser = XMLStreamParser(mode: Self.mode)
                let small = parser.bufferCapacity
                parser.feed("<a>" + part)
                let large = parser.bufferCapacity
                #expect(large > 400_000)
                parser.feed(end)
                let kept = parser.bufferCapacity
                #expect(kept == small)
                _ = try? parser.next()
            }
        }
        var parser = XMLStreamParser(mode: .stream)
        let small = parser.bufferCapacity
        parser.feed("<s a='\(String(repeating: "x", count: 500_000))'>")
        let kept = parser.bufferCapacity
        #expect(kept == small)
    }
}
