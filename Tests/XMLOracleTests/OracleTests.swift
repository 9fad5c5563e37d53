// Our parser beside expat and libxml2: the same documents are well-formed, with the same content, or a written rule
// says why not.

import Foundation
import TestSupport
import Testing

@Suite struct OracleTests {
    private func check(_ input: [UInt8], _ cuts: inout SeededGenerator) {
        let size = [1, 3, 16, 100, 1_000_000].randomElement(using: &cuts) ?? 1
        let answer = ourAnswer(input) { size == 1 ? 1 : Int.random(in: 1...size, using: &cuts) }
        let ours = answer.verdict
        let text = String(decoding: input, as: UTF8.self).debugDescription
        let expat = expatVerdict(input)
        if ours.isContent != expat.isContent || ours.isContent && ours != expat {
            let rule = Disagreement.fromExpat(input, ours: answer, theirs: expat)
            #expect(rule != nil, "\(text): ours \(ours), expat \(expat), seed \(SeededGenerator.seed)")
        }
        let libxml2 = libxml2Verdict(input)
        if ours.isContent != libxml2.isContent || ours.isContent && ours != libxml2 {
            let rule = Disagreement.fromLibXML2(input, ours: answer, theirs: libxml2)
            #expect(rule != nil, "\(text): ours \(ours), libxml2 \(libxml2), seed \(SeededGenerator.seed)")
        }
    }

    @Test func randomMarkup() {
        var random = SeededGenerator(salt: 701)
        for _ in 0..<SeededGenerator.cases(default: 4_000) { check(RandomMarkup.document(using: &random), &random) }
    }

    @Test func mutations() {
        var random = SeededGenerator(salt: 702)
        for _ in 0..<SeededGenerator.cases(default: 4_000) {
            let document = RandomMarkup.document(using: &random)
            check(RandomMarkup.mutation(of: document, using: &random), &random)
        }
    }

    @Test func recordedStanzas() throws {
        var random = SeededGenerator(salt: 703)
        for stanza in try stanzas() {
            let document = Array(stanza.utf8)
            check(document, &random)
            for _ in 0..<3 { check(RandomMarkup.mutation(of: document, using: &random), &random) }
        }
    }

    /// A document for each rule.
    @Test(arguments: [
        ("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", Disagreement.encoding),
        ("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", .documentType),
        ("<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>", .documentType), ("<!DOCTYPE a [<!x>]><a/>", .documentType),
        ("<a\u{10000}/>", .edition),
        ("<?xml version='2.0'?><a/>", .version),
        ("<a><![CDATA[\r\n]]></a>", .lineEndsInLibXML2), ("<a xmlns='a]'/>", .uriInLibXML2),
    ])
    func rules(document: String, rule: Disagreement) {
        let input = Array(document.utf8)
        let answer = ourAnswer(input) { 1 }
        let ours = answer.verdict
        let (expat, libxml2) = (expatVerdict(input), libxml2Verdict(input))
        let found = [
            ours == expat ? nil : Disagreement.fromExpat(input, ours: answer, theirs: expat),
            ours == libxml2 ? nil : Disagreement.fromLibXML2(input, ours: answer, theirs: libxml2),
        ]
        #expect(found.contains(rule), "\(document): ours \(ours), expat \(expat), libxml2 \(libxml2)")
    }

    /// Each rule explains only the difference that it names. Another answer about the same document is a mistake.
    @Test(arguments: [
        "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>é</a>", "<é>é</é>", "<a é='ü'/>", "<!--é--><a/>",
        "<?xml version='1.0'?><a/>", "<?xml\tversion = \"1.0\" ?><a/>", "<a><![CDATA[\n]]></a>",
    ])
    func rulesExplainNothingElse(document: String) {
        let input = Array(document.utf8)
        let answer = ourAnswer(input) { 1 }
        guard case .content(let bytes) = answer.verdict else {
            Issue.record("\(document): \(answer.verdict)")
            return
        }
        for wrong in [Verdict.content(bytes + [0x78]), .refused("other", at: input.count)] {
            #expect(Disagreement.fromExpat(input, ours: answer, theirs: wrong) == nil)
            #expect(Disagreement.fromLibXML2(input, ours: answer, theirs: wrong) == nil)
        }
    }

    @Test func allParsersAgree() {
        for document in ["<a/>", "<a xmlns='u' xmlns:p='v' p:b='1' b='2'><p:c>d&amp;\r\n</p:c><![CDATA[<]]></a>"] {
            let input = Array(document.utf8)
            let ours = ourAnswer(input) { 1 }.verdict
            #expect(ours.isContent && ours == expatVerdict(input) && ours == libxml2Verdict(input), "\(document)")
        }
    }

    private func stanzas() throws -> [String] {
        let recorded = try Corpus.stanzas(in: Corpus.recordedSession)
        guard let file = Corpus.specifications else { return recorded }
        return recorded + (try Corpus.stanzas(in: file))
    }
}
