// Random texts for the parser.

import TestSupport

/// Strings that are full of the language's building blocks.
enum RandomText {
    static let pieces =
        "/ / / .. ... . * ! a b x ü 名 1 : { } {a} {*} {} < > = ~ <a=b> <a~b> <a=%d> <b~( @ @@ @a # $ \\ \\\\ \\a@b\\ & [ ] [0] | |int |x [@a='b'] [@a] ='b' text() name( ) ' % %% %5.2f %1001d # - + h l"
        .split(separator: " ").map(String.init) + [" ", "\n", "\t", "\u{0}", "\u{301}", "\u{1F600}", "\r\n"]

    /// Up to `length` pieces.
    static func make(upTo length: Int, using random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...length, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    /// The text with a few characters removed, doubled or replaced.
    static func mutate(_ text: String, using random: inout SeededGenerator) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...scalars.count, using: &random)
            let end = min(scalars.count, place + Int.random(in: 0...2, using: &random))
            let piece = Bool.random(using: &random) ? pieces.randomElement(using: &random) ?? "" : ""
            scalars.replaceSubrange(place..<end, with: piece.unicodeScalars)
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
