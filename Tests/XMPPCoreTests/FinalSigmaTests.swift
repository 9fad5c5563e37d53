// The lower case of sigma, and the time that it takes.

import Testing

@testable import XMPPCore

@Suite struct FinalSigmaTests {
    @Test(arguments: [
        ("\u{3A3}", "\u{3C3}"), ("\u{391}\u{3A3}", "\u{3B1}\u{3C2}"),
        ("\u{391}\u{3A3}\u{391}", "\u{3B1}\u{3C3}\u{3B1}"), ("\u{391}.\u{3A3}.", "\u{3B1}.\u{3C2}."),
        ("\u{391}\u{3A3}.\u{391}", "\u{3B1}\u{3C3}.\u{3B1}"),
        ("1\u{3A3}", "1\u{3C3}"), ("\u{3A3}\u{3A3}\u{3A3} \u{3A3}", "\u{3C3}\u{3C3}\u{3C2} \u{3C3}"),
    ])
    func examples(text: String, lower: String) { #expect(text.lowercasedWithFinalSigma == lower) }

    /// Each character is read a few times, however many sigmas and characters without case are around it.
    @Test(arguments: ["\u{3A3}", "\u{391}", ".", "\u{3A3}.", "\u{391}\u{3A3}......", "1\u{3A3}.."])
    func linearTime(pattern: String) {
        let scalars = Array(String(repeating: pattern, count: 1000).unicodeScalars)
        for text in [scalars, ["\u{391}", "\u{3A3}"] + scalars, scalars + ["\u{391}"]] {
            let counted = CountedScalars(text)
            #expect(!counted.lowercasedWithFinalSigma.isEmpty)
            #expect(counted.reads <= 3 * text.count)
        }
    }
}

/// Counts how often a character is read.
private final class CountedScalars: Collection {
    private let scalars: [Unicode.Scalar]
    private(set) var reads = 0

    init(_ scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    let startIndex = 0
    var endIndex: Int { scalars.count }

    func index(after index: Int) -> Int { index + 1 }

    subscript(index: Int) -> Unicode.Scalar {
        reads += 1
        return scalars[index]
    }
}
