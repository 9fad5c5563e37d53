// Streams beside expat: XML that expat accepts without namespaces never ends a stream, and a stanza is rejected exactly
// if expat refuses it with namespaces.

import TestSupport
import Testing
import XMLTree

@Suite struct StreamFaultTests {
    private static let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' xmlns:q='urn:q'>"
    private static let end = "</stream:stream>"

    /// The events of our parser that matter here.
    private struct Outcome {
        var rejected = 0
        var error: XMLParseError?
    }

    private func outcome(of input: [UInt8], _ random: inout SeededGenerator) -> Outcome {
        var parser = XMLStreamParser(mode: .stream)
        var outcome = Outcome()
        let longest = [1, 5, 40, 1_000_000].randomElement(using: &random) ?? 1
        var start = 0
        do throws(XMLParseError) {
            while start < input.count {
                let stop = min(start + Int.random(in: 1...longest, using: &random), input.count)
                parser.feed(input[start..<stop])
                start = stop
                while let event = try parser.next() { if case .rejected = event { outcome.rejected += 1 } }
            }
            parser.finish()
            while let event = try parser.next() { if case .rejected = event { outcome.rejected += 1 } }
        } catch {
            outcome.error = error
        }
        return outcome
    }

    /// Whether the mistake is XML that RFC 6120 forbids in a stream (§11.1), or text between stanzas.
    private func isOfStreams(_ error: XMLParseError) -> Bool {
        switch error.kind {
        case .restricted, .textBetweenElements: true
        default: false
        }
    }

    /// - Returns: Whether expat accepts the stream without namespaces and refuses it with them.
    private func check(_ content: [UInt8], _ random: inout SeededGenerator) -> Bool {
        let input = Array(Self.header.utf8) + content + Array(Self.end.utf8)
        let ours = outcome(of: input, &random)
        let fault = expatFault(withoutNamespaces: input)
        let isAccepted = expatVerdict(input).isContent
        let text = String(decoding: content, as: UTF8.self).debugDescription
        let comment: Comment = "\(text): \(ours), expat \(fault ?? "accepts"), seed \(SeededGenerator.seed)"
        if fault == nil {
            #expect(ours.error.map(isOfStreams) ?? true, comment)
            if ours.error == nil { #expect((ours.rejected == 0) == isAccepted, comment) }
            return !isAccepted
        }
        // We know more names than expat, and do not look for repeated attributes in what we skip.
        if ours.rejected == 0, content.allSatisfy({ $0 < 0x80 }) { #expect(ours.error != nil, comment) }
        return false
    }

    @Test func faultsOfNamespacesEndNoStream() {
        var random = SeededGenerator(salt: 704)
        let count = SeededGenerator.cases(default: 4_000)
        var faults = 0
        for _ in 0..<count {
            var content: [UInt8] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                content += RandomMarkup.stanza(using: &random).utf8
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                content = RandomMarkup.mutation(of: content, using: &random)
            }
            if check(content, &random) { faults += 1 }
        }
        #expect(faults > count / 10, "\(faults) of \(count)")
    }

    @Test func randomMarkup() {
        var random = SeededGenerator(salt: 705)
        for _ in 0..<SeededGenerator.cases(default: 2_000) {
            _ = check(RandomMarkup.document(using: &random), &random)
        }
    }

    /// Stanzas as real servers relay them.
    @Test(arguments: [
        "<message id='2'><x xmlns:ns1='http://www.w3.org/XML/1998/namespace' ns1:foo='1' xmlns='urn:q'/></message>",
        "<message id='3'><x xmlns='urn:p' p:y='1'/></message>", "<a q:x='1' p:x='2' xmlns:p='urn:q'/>",
        "<a:b:c><:d/></a:b:c>", "<xmlns:a xml:b=''/>",
    ])
    func relayedFaults(_ stanza: String) {
        var random = SeededGenerator(salt: 706)
        #expect(check(Array(stanza.utf8), &random))
    }
}
