// Addresses as Debian's Prosody prepares them, and the documented differences to it.

import Foundation
import TestSupport
import Testing
import XMPPCore

@Suite(.needsProsody) struct ProsodyComparisonTests {
    private let prosody: Oracle

    init() throws {
        prosody = try Oracle(
            "lua5.4", "prosody.lua", "/usr/lib/prosody",
            hint: "Install the packages lua5.4 and prosody, or set STANZA_NO_PROSODY=1 to go without.")
    }

    private struct Answer: Decodable {
        let localpart, domain, resource, text: String?

        var address: String? {
            domain.map { (localpart.map { $0 + "@" } ?? "") + $0 + (resource.map { "/" + $0 } ?? "") }
        }
    }

    private func ask(_ kind: String, _ texts: [String]) throws -> [Answer] {
        let lines = try texts.map { String(decoding: try JSONEncoder().encode([kind, $0]), as: UTF8.self) }
        return try prosody.answers(to: lines).map { try JSONDecoder().decode(Answer.self, from: Data($0.utf8)) }
    }

    @Test func randomAddresses() throws {
        var random = SeededGenerator(salt: 0x94050D7)
        let total = SeededGenerator.cases(default: 12_000)
        var (same, valid, seen) = (0, 0, Set<StringprepDifference>())
        for _ in 0..<(total + 199) / 200 {
            let parts = (0..<200).map { _ in RandomAddress(&random) }
            for (parts, answer) in zip(parts, try ask("prepare", parts.map(\.text))) {
                let differences = parts.differences
                seen.formUnion(differences)
                if !differences.isEmpty { continue }
                let ours = JID(parts.text)?.description
                #expect(ours == answer.address, "\(parts.text.debugDescription) (STANZA_SEED=\(SeededGenerator.seed))")
                (same, valid) = (same + 1, valid + (ours == nil ? 0 : 1))
            }
        }
        if total < 5_000 { return }
        #expect(same * 6 > total && valid * 3 > same, "\(valid) of \(same) of \(total) addresses were valid")
        #expect(seen.count == StringprepDifference.allCases.count, "the random texts miss differences")
    }

    /// One example for each difference: the address, Prosody's result and ours.
    @Test(
        arguments: [
            (.folding, "stra\u{DF}e@b", "strasse@b", "stra\u{DF}e@b"),
            (.folding, "\u{3C3}\u{3C2}@b", "\u{3C3}\u{3C3}@b", "\u{3C3}\u{3C2}@b"),
            (.compatibility, "henry\u{2163}@b", "henryiv@b", nil),
            (.compatibility, "a@b/\u{2163}", "a@b/IV", "a@b/\u{2163}"),
            (.symbols, "\u{2665}@b", "\u{2665}@b", nil),
            (.invisible, "a\u{AD}b@c", "ab@c", nil),
            (.invisible, "a@b/\u{2764}\u{FE0F}", "a@b/\u{2764}", nil),
            (
                .invisible, "\u{645}\u{6CC}\u{200C}\u{62E}@b", "\u{645}\u{6CC}\u{62E}@b",
                "\u{645}\u{6CC}\u{200C}\u{62E}@b"
            ),
            (.newCharacters, "\u{2C60}@b", "\u{2C60}@b", "\u{2C61}@b"),
            (.direction, "a@b/\u{5D0} b", nil, "a@b/\u{5D0} b"),
            (.direction, "\u{5D0}1@b", nil, "\u{5D0}1@b"),
            (.context, "a\u{B7}b@c", "a\u{B7}b@c", nil),
            (.refusedLetters, "\u{640}\u{628}@b", "\u{640}\u{628}@b", nil),
            (.spaces, "a@b/\u{1680}", nil, "a@b/ "),
            (.domains, "a@-b..c", "a@-b..c", nil),
            (.domains, "a@xn--mnchen-3ya", "a@xn--mnchen-3ya", "a@m\u{FC}nchen"),
            (.domains, "a@fa\u{DF}.example", "a@fass.example", "a@fa\u{DF}.example"),
        ] as [(StringprepDifference, String, String?, String?)])
    func difference(_ difference: StringprepDifference, text: String, theirs: String?, ours: String?) throws {
        let address = try #require(try ask("prepare", [text]).first).address
        #expect(address.map(bytes) == theirs.map(bytes))
        #expect((JID(text)?.description).map(bytes) == ours.map(bytes))
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func escapes() throws {
        var random = SeededGenerator(salt: 0x106)
        let alphabet = Array(" \"&'/:<>@\\\\\\0022367acdefxyz\u{E9}").map(String.init)
        let texts = (0..<500).map { _ in
            "x" + (0..<Int.random(in: 0...9, using: &random)).map { _ in random.pick(alphabet) }.joined() + "y"
        }
        let note = "STANZA_SEED=\(SeededGenerator.seed)"
        for (text, answer) in zip(texts, try ask("escape", texts)) {
            #expect(JID.escaped(text) == answer.text, "\(note)")
        }
        for (text, answer) in zip(texts, try ask("unescape", texts)) {
            #expect(JID.unescaped(text) == answer.text, "\(note)")
        }
    }
}

/// Parts of an address at random.
private struct RandomAddress {
    private let localpart, resource: String?
    private let domain: String

    init(_ random: inout SeededGenerator) {
        let domains = ["a", "Example.COM", "b.c.", "m\u{FC}nchen.b", "\u{43F}\u{43E}.example", "127.0.0.1", "[::1]"]
        domain = random.pick(domains)
        localpart = random.chance(80) ? String(String.UnicodeScalarView(RandomText.scalars(&random))) : nil
        resource = random.chance(40) ? String(String.UnicodeScalarView(RandomText.scalars(&random))) : nil
    }

    var text: String { (localpart.map { $0 + "@" } ?? "") + domain + (resource.map { "/" + $0 } ?? "") }

    var differences: Set<StringprepDifference> {
        // The beginning of such a localpart is a domain.
        if localpart?.utf8.contains(UInt8(ascii: "/")) == true { return [.domains] }
        return StringprepDifference.all(in: localpart ?? "", isLocalpart: true)
            .union(StringprepDifference.all(in: resource ?? "", isLocalpart: false))
    }
}
