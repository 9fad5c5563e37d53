// Text from strangers, made fit for sentences and terminals.

extension String {
    /// Longer texts are cut in sentences.
    private static let shownLength = 80

    /// The text as it may stand in a sentence: in one line, of bounded length, and without what a terminal would obey.
    func shown() -> String {
        let cut = unicodeScalars.prefix(Self.shownLength + 1)
        let isLong = cut.count > Self.shownLength
        return String(isLong ? cut.prefix(Self.shownLength) : cut).printable() + (isLong ? "…" : "")
    }

    /// The text without what a terminal would obey, and with every run of white space as one space.
    package var oneLine: String { printable().split(separator: " ").joined(separator: " ") }

    /// The text with spaces in place of line breaks and tabs, and a replacement character in place of each other control, and
    /// of each mark that changes the direction of writing.
    func printable() -> String {
        var result = String().unicodeScalars
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .lineSeparator, .paragraphSeparator: result.append(" ")
            case .control where scalar == "\n" || scalar == "\t": result.append(" ")
            case .control: result.append("\u{FFFD}")
            case .format where Self.isDirectional(scalar): result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// What turns the direction of writing around for the text behind it, and can make one text look like another.
    private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
