// A line of `stanza repl`: a query, or one of the commands that begin with a colon.

/// The meaning of a line.
enum ReplInstruction: Equatable {
    /// An empty line.
    case nothing
    case query(String)
    /// Without a query: the query of the line before.
    case explain(String?)
    case time(String?)
    /// Without a name: all settings.
    case set(name: String?, value: String)
    /// Without a number: the number of stanzas.
    case stanza(String?)
    case help
    case quit

    /// The commands, their arguments and their help.
    static let commands: [(name: String, takes: String, help: String)] = [
        (":explain", "[QUERY]", "show tree and program of the query, or the last one"),
        (":time", "[QUERY]", "measure the query, or the last one, on all stanzas"),
        (":set", "[NAME VALUE]", "show the settings, or change one"),
        (":stanza", "[NUMBER]", "print a stanza, or the number of stanzas"),
        (":help", "", "print this list"),
        (":quit", "", "leave, as Ctrl-D does"),
    ]

    /// Words that are commands without their colon: elements of these names are rare, and users know the words.
    private static let words = ["help": ":help", "quit": ":quit", "exit": ":quit"]

    /// The commands that take a query.
    static let commandsWithQuery = [":explain", ":time"]

    /// - Throws: The mistake in the command.
    init(_ line: String) throws(ReplMistake) {
        var line = line.trimmed
        if let command = Self.words[line] { line = command }
        guard line.utf8.first == UInt8(ascii: ":") else {
            self = line.isEmpty ? .nothing : .query(line)
            return
        }
        let (name, rest) = line.splitAtSpace
        switch name {
        case ":explain": self = .explain(rest.isEmpty ? nil : rest)
        case ":time": self = .time(rest.isEmpty ? nil : rest)
        case ":set":
            let (setting, value) = rest.splitAtSpace
            self = .set(name: setting.isEmpty ? nil : setting, value: value)
        case ":stanza": self = .stanza(rest.isEmpty ? nil : rest)
        case ":help": self = .help
        case ":quit": self = .quit
        default:
            throw ReplMistake(CommandName.unknown("command", name, among: Self.commands.map(\.name)))
        }
    }

    private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }

    /// The query in a line, and the text before it; `nil` if the line takes none.
    static func query(in line: String) -> (text: String, before: String)? {
        let begun = line.drop(while: isSpace)
        var rest = begun
        if begun.utf8.first == UInt8(ascii: ":") {
            let name = begun.prefix { !isSpace($0) }
            guard name.endIndex < begun.endIndex, commandsWithQuery.contains(String(name)) else { return nil }
            rest = begun[name.endIndex...].drop(while: isSpace)
        }
        return (String(rest), String(line[..<rest.startIndex]))
    }
}

/// A mistake in a command of `stanza repl`.
struct ReplMistake: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension String {
    /// Without spaces at its ends.
    var trimmed: String {
        let begun = drop { $0 == " " || $0 == "\t" }
        guard let last = begun.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(begun[...last])
    }

    /// The first word, and the text after the spaces that follow it.
    var splitAtSpace: (first: String, rest: String) {
        let word = prefix { $0 != " " && $0 != "\t" }
        return (String(word), String(dropFirst(word.count)).trimmed)
    }
}
