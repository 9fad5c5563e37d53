// One stanza of an input, by its number.

import StanzaQuery

/// The stanza that was looked for, and what was met on the way to it.
struct NumberedStanza {
    /// The stanza; `nil` if the input has fewer.
    private(set) var element: Element?
    /// The line in which it begins.
    private(set) var line = 0
    /// How many stanzas were read.
    private(set) var count = 0
    /// What could not be read before it.
    private(set) var problems: [InputProblem] = []

    /// Reads no further than needed. Stanzas are counted from 1.
    init(
        _ number: Int, of file: String, _ console: Console, _ settings: ReadingSettings
    ) throws(SystemError) {
        try self.init(first: { $1 == number }, of: file, console, settings)
    }

    /// The first stanza that is wanted. Reads no further than needed.
    ///
    /// - Parameter isWanted: Gets a stanza and its number.
    init(
        first isWanted: (Element, Int) -> Bool, of file: String, _ console: Console, _ settings: ReadingSettings
    ) throws(SystemError) {
        let source = file == "-" ? console.input : try console.open(file)
        try StanzaReader.read(source, settings) { item in
            take(item, isWanted)
            return element == nil
        }
    }

    private mutating func take(_ item: InputItem, _ isWanted: (Element, Int) -> Bool) {
        switch item {
        case .stanza(let stanza, let position):
            count += 1
            if isWanted(stanza, count) { (element, line) = (stanza, position.line) }
        case .problem(let problem):
            problems.append(problem)
        }
    }
}
