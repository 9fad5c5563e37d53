// Any text: after a mistake the parser continues at the next segment, finds independent mistakes and invents none. The
// cost is linear, and the limits hold.

import Foundation
import QuerySyntax
import QueryTools
import TestSupport
import Testing

@Suite(.serialized)
struct RobustnessTests {
    /// Queries, each with the places of its mistakes.
    private static let mistakes = [
        ("!/a*/b@", [1, 3, 7]), ("a//b//c/", [2, 5, 8]), ("a<b>/c<d=>/e<f~>", [3, 9, 15]), ("a<b=%y/z>/!", [5, 11]),
        ("a*{u/v}/!", [1, 9]), ("a!<b=c/d>/!", [1, 11]), ("a!\\@b/c\\/!", [1, 10]), ("a!|b{c/!", [1, 8]),
        ("\\form[/]\\/!", [6, 11]), ("a@b/c|int/d@e|nope", [1, 5, 14]), ("a@b|x/c", [1, 4]), ("@{*}a/!*", [3, 7]),
        ("..<a=b>/!", [2, 9]), ("..<a=b>/$", [2]), ("a/|int/$", [2, 7]), ("a[b//c]/!", [1, 9]),
        ("a/text()/!", [6, 10]),
        ("a*[b//c]/!", [1, 10]),
        // Nothing is reported inside of unclosed parts.
        ("{a//b/!", [7]), ("a<b=c//d/!", [10]), ("a<b//d/!", [3]), ("\\a//b/!", [2]), ("a*{b//c/!", [1]),
        ("a!<b//c/!", [1]), ("a*\\b//c/!", [1]), ("a[b//c/!", [1]), ("a*[b//c/!", [1]),
        // The text after a namespace without braces may be a part of it, but not the text before it.
        ("http://jabber.org/protocol/muc#user/x//y", [6]), ("/a@/https://b//c", [3, 11]), ("a:b:c}d//e", [5]),
        ("://b//c", [2, 5]), ("a:b://c//d", [5, 8]), ("a<b=c:>//d//e", [8, 11]), ("{u}a://b//c", [6, 9]),
    ]

    @Test(arguments: mistakes) func laterMistakesAreReportedAsWell(query: String, offsets: [Int]) {
        #expect(ParsedQuery(parsing: query).diagnostics.map(\.range.lowerBound) == offsets)
    }

    /// Misplaced extractions and conversions, with the piece that the mistake covers. Incomplete ones count as far as
    /// they go.
    @Test(arguments: [
        ("..@|x", "misplacedExtraction", "@"), ("/..@/a", "misplacedExtraction", "@"),
        ("..@<a=b>", "misplacedExtraction", "@"),
        ("a/..\\form", "misplacedExtraction", "\\form"), ("..\\a b\\|x", "misplacedExtraction", "\\a"),
        ("..@{}a", "misplacedExtraction", "@{"), ("../@id/a", "misplacedExtraction", "@id"),
        ("a$/b", "misplacedExtraction", "$"),
        ("a@@//b", "misplacedExtraction", "@@"), ("a@b|int/c", "misplacedExtraction", "@b"),
        ("a\\\\|int/b", "misplacedExtraction", "\\\\"), ("a||", "misplacedConversion", "||"),
        ("a|integer", "misplacedConversion", "|integer"), ("a\\[0]\\|x", "misplacedConversion", "|x"),
        ("a@b||", "unknownConversion", "|"), ("\\@f\\|x", "unknownConversion", "x"),
    ])
    func otherMistakesAreCovered(query: String, kind: String, piece: String) {
        let parsed = ParsedQuery(parsing: query)
        #expect(parsed.diagnostics.first?.kind.rawValue == kind)
        #expect(parsed.diagnostics.first.map { parsed.text(in: $0.range) } == piece)
    }

    /// The understood parts stay in the tree. The engine looks for bad regular expressions to the left of an error.
    @Test(arguments: [
        ("a<b~(>/c//d", "elements a;   b ~ \"(\"; elements c; elements {*}*; elements d"),
        ("foo/<a~(>", "elements foo; elements {*}*;   a ~ \"(\""),
        ("a<b~(><c>/d<e~[>", "elements a;   b ~ \"(\"; elements d;   e ~ \"[\""),
        ("a<b~(>!", "elements a;   b ~ \"(\""),
        ("a@b|int/c", "elements a; elements c"), ("a@b/c#", "elements a; elements c; extract text"),
    ])
    func understoodPartsStay(query: String, outline: String) {
        let lines = ParsedQuery(parsing: query).tree.description.split(separator: "\n").joined(separator: "; ")
        #expect(lines == outline)
    }

    /// Diagnostics are in order, in the text, and of one line. The text after a mistake does not move it.
    @Test func noiseIsRead() {
        var random = SeededGenerator(salt: 41)
        for index in 0..<12_000 {
            var query = RandomText.make(upTo: 40, using: &random)
            if index % 6 == 0 {
                let scalars = (0..<20).map { _ in Unicode.Scalar(UInt32.random(in: 0...0x3000, using: &random)) ?? "/" }
                query = String(String.UnicodeScalarView(scalars))
            }
            let comment: Comment = "\(query.debugDescription), seed \(SeededGenerator.seed)"
            let parsed = ParsedQuery(parsing: query)
            let starts = parsed.diagnostics.map(\.range.lowerBound)
            #expect(
                starts == starts.sorted() && parsed.tree.description.utf8.count <= query.utf8.count * 30 + 100, comment)
            for diagnostic in parsed.diagnostics {
                #expect(diagnostic.range.lowerBound >= 0 && diagnostic.range.upperBound <= query.utf8.count, comment)
                let text = diagnostic.message + (diagnostic.expectation ?? "")
                #expect(!text.unicodeScalars.contains { $0.value < 0x20 } && !diagnostic.message.isEmpty, comment)
                #expect(diagnostic.rendered(in: query).hasPrefix("error: "), comment)
            }
            guard let first = parsed.diagnostics.first, first.kind == .syntax else { continue }
            let cut = ParsedQuery(parsing: parsed.text(in: 0..<first.range.upperBound))
            #expect(cut.diagnostics.first?.range == first.range, comment)
        }
    }

    @Test func limits() {
        for mistake in ["!", "", "a#", "a|x", "a<>", "\\x y\\"] {
            let query = Array(repeating: mistake, count: 1_000).joined(separator: "/")
            #expect(ParsedQuery(parsing: query).diagnostics.count == QueryLimits.diagnostics, "\(mistake)")
        }
        let few = Array(repeating: "!", count: QueryLimits.diagnostics - 1).joined(separator: "/")
        #expect(ParsedQuery(parsing: few).diagnostics.count == QueryLimits.diagnostics - 1)
        let most = QueryLimits.specifierNumber
        #expect(ParsedQuery(parsing: "a<b=%\(most).\(most)d>").diagnostics.isEmpty)
        for number in ["\(most + 1)", ".\(most + 1)", String(repeating: "9", count: 100)] {
            let diagnostics = ParsedQuery(parsing: "a<b=%\(number)d>").diagnostics
            #expect(diagnostics.map(\.problem) == [.specifierNumberTooLarge])
        }
    }

    /// Sixteen times the length must not take a hundred times the time.
    @Test(arguments: [
        "a/", "../", "a<b=c>/", "<a=b>", "a<b=%d>", "%d", "{", "<", "\\", "|", "a@b/", "!/", "名/", "0", "{u}a<b~(>/",
        "\n", "a<{", "a!{b/", "[", "..",
    ])
    func costIsLinear(in piece: String) {
        for (prefix, suffix) in [("", "a"), ("a<k=", ">"), ("a<k~", ">"), ("\\@", "\\"), ("\\[", ""), ("a#|", "")] {
            let small = prefix + String(repeating: piece, count: 2_048) + suffix
            let large = prefix + String(repeating: piece, count: 32_768) + suffix
            var found = ParsedQuery(parsing: "")
            let growth = growth(
                from: { found = ParsedQuery(parsing: small) }, to: { found = ParsedQuery(parsing: large) }, below: 100)
            #expect(growth < 100 && found.source.utf8.count >= small.utf8.count, "\(prefix)\(piece.debugDescription)…")
        }
    }

    @Test func aMegabyteIsRead() {
        let segment = { (number: Int) in "{urn:example:\(number)}element<attribute=%@><other~^(a|b)*$>/" }
        let parsed = ParsedQuery(parsing: (0..<10_000).map(segment).joined() + "x@y|int")
        #expect(parsed.diagnostics.isEmpty && parsed.tree.nodes.count(where: \.isStep) == 10_001)
        let name = String(repeating: "n", count: 1_000_000)
        #expect(ParsedQuery(parsing: name).tree.description == "elements \(name)")
    }
}
