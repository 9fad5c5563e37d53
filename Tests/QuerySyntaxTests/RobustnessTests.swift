// Texts from anywhere: nothing crashes, nothing takes more than its length, and the limits hold.

import Foundation
import QuerySyntax
import QueryTools
import TestSupport
import Testing

@Suite(.serialized)
struct RobustnessTests {
    @Test func noiseIsRead() {
        var random = SeededGenerator(salt: 41)
        for _ in 0..<10_000 {
            let query = RandomText.make(upTo: 40, using: &random)
            let parsed = ParsedQuery(parsing: query)
            let length = query.utf8.count
            for diagnostic in parsed.diagnostics {
                let isInside = 0 <= diagnostic.range.lowerBound && diagnostic.range.upperBound <= length
                #expect(isInside, "\(query.debugDescription), seed \(SeededGenerator.seed)")
                #expect(diagnostic.rendered(in: query).hasPrefix("error: "))
            }
            #expect(parsed.tree.description.utf8.count <= length * 30 + 100)
        }
    }

    @Test func anyScalarsAreRead() {
        var random = SeededGenerator(salt: 42)
        for _ in 0..<2_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<20 { text.append(Unicode.Scalar(UInt32.random(in: 0...0x3000, using: &random)) ?? "/") }
            let query = String(text)
            let first = ParsedQuery(parsing: query).diagnostics.first
            #expect(first.map { $0.range.upperBound <= query.utf8.count } ?? true)
        }
    }

    @Test func theNumberOfDiagnosticsIsLimited() {
        for mistake in ["!", "", "a#", "a|x", "a<>", "\\x y\\"] {
            let query = Array(repeating: mistake, count: 1_000).joined(separator: "/")
            let found = ParsedQuery(parsing: query).diagnostics
            #expect(found.count == QueryLimits.diagnostics, "\(mistake)")
        }
        let few = Array(repeating: "!", count: QueryLimits.diagnostics - 1).joined(separator: "/")
        #expect(ParsedQuery(parsing: few).diagnostics.count == QueryLimits.diagnostics - 1)
    }

    @Test func theNumbersOfSpecifiersAreLimited() {
        let most = QueryLimits.specifierNumber
        #expect(ParsedQuery(parsing: "a<b=%\(most).\(most)d>").diagnostics.isEmpty)
        #expect(ParsedQuery(parsing: "a<b=%\(most + 1)d>").diagnostics.first?.problem == .specifierNumberTooLarge)
        #expect(ParsedQuery(parsing: "a<b=%.\(most + 1)d>").diagnostics.first?.problem == .specifierNumberTooLarge)
        #expect(ParsedQuery(parsing: "a<b=%\(String(repeating: "9", count: 100))d>").diagnostics.count == 1)
    }

    @Test func repairsAreNotOfferedForLongTexts() {
        for count in [QueryLimits.quotedScalars, QueryLimits.quotedScalars + 1] {
            let query = String(repeating: "a", count: count - 1) + "/"
            let isOffered = ParsedQuery(parsing: query).diagnostics.first?.repair != nil
            #expect(isOffered == (count <= QueryLimits.quotedScalars))
        }
    }

    @Test func onlyShortNamesAreCompared() {
        let name = "integer" + String(repeating: " ", count: QueryLimits.comparedConversionName)
        #expect(ParsedQuery(parsing: "a#|\(name)").diagnostics.first?.repair == nil)
    }

    /// Sixteen times the length must not take a hundred times the time.
    @Test(arguments: [
        "a/", "../", "a<b=c>/", "<a=b>", "a<b=%d>", "%d", "{", "<", "\\", "|", "a@b/", "!/", "名/", "0", "{u}a<b~(>/",
        "\n",
        "a<{", "a!{b/", "[", "..",
    ])
    func costIsLinear(in piece: String) {
        for (prefix, suffix) in [("", "a"), ("a<k=", ">"), ("a<k~", ">"), ("\\@", "\\"), ("\\[", ""), ("a#|", "")] {
            let small = prefix + String(repeating: piece, count: 2_048) + suffix
            let large = prefix + String(repeating: piece, count: 32_768) + suffix
            let growth = growth(from: { parse(small) }, to: { parse(large) }, below: 100)
            #expect(growth < 100, "\(prefix)\(piece.debugDescription)…")
        }
    }

    @Test func aMegabyteIsRead() {
        let segments = 10_000
        let query =
            (0..<segments).map { "{urn:example:\($0)}element<attribute=%@><other~^(a|b)*$>/" }.joined() + "x@y|int"
        #expect(query.utf8.count > 500_000)
        let parsed = ParsedQuery(parsing: query)
        #expect(parsed.diagnostics.isEmpty)
        #expect(parsed.tree.nodes.count(where: \.isStep) == segments + 1)

        let name = String(repeating: "n", count: 1_000_000)
        #expect(ParsedQuery(parsing: name).tree.description == "elements \(name)")
    }

    private func parse(_ query: String) {
        let parsed = ParsedQuery(parsing: query)
        precondition(parsed.source.utf8.count == query.utf8.count, "the work must not be optimised away")
    }
}
