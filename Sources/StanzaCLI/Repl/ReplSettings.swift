// The settings that `:set` changes: names, values, and their meaning.

import StanzaQuery

/// How `stanza repl` compiles queries and shows their results.
struct ReplSettings {
    var options: QueryOptions = []
    var stopsAtFirst = false
    var showsSource = false
    var format = OutputFormat.text
    /// The number of results shown for a query; 0 is all.
    var limit = 100
    /// The values for the specifiers of queries, in order.
    var arguments: [String] = []

    /// The names that can be set, and their values where there are only some.
    static let names: [(name: String, values: [String])] = [
        ("args", []), ("first", switches), ("format", ["text", "json", "xml"]), ("ignore-case", switches),
        ("limit", []),
        ("source", switches), ("strict", switches),
    ]
    private static let switches = ["on", "off"]

    /// All names with their values, one in a line.
    var listing: String {
        let values = [
            ("args", arguments.isEmpty ? "none" : arguments.map { "\"\($0.escapedForLine)\"" }.joined(separator: " ")),
            ("first", word(stopsAtFirst)), ("format", "\(format)"),
            ("ignore-case", word(options.contains(.caseInsensitiveFilters))),
            ("limit", limit == 0 ? "0 (all)" : "\(limit)"), ("source", word(showsSource)),
            ("strict", word(options.contains(.strictConversions))),
        ]
        return values.map { "\($0)  \($1)\n" }.joined()
    }

    private func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    mutating func set(_ name: String, to value: String) throws(ReplMistake) {
        switch name {
        case "args": arguments = try Self.words(of: value)
        case "first": stopsAtFirst = try Self.isOn(value, name)
        case "source": showsSource = try Self.isOn(value, name)
        case "ignore-case": try set(.caseInsensitiveFilters, Self.isOn(value, name))
        case "strict": try set(.strictConversions, Self.isOn(value, name))
        case "format":
            switch value {
            case "text": format = .text
            case "json": format = .json
            case "xml": format = .xml
            default: throw ReplMistake("'format' is text, json or xml")
            }
        case "limit":
            guard let number = Int(value), number >= 0 else {
                throw ReplMistake("'limit' is a number of results; 0 is all")
            }
            limit = number
        default:
            throw ReplMistake(CommandName.unknown("setting", name, among: Self.names.map(\.name)))
        }
    }

    private mutating func set(_ option: QueryOptions, _ isOn: Bool) {
        if isOn { options.insert(option) } else { options.remove(option) }
    }

    private static func isOn(_ value: String, _ name: String) throws(ReplMistake) -> Bool {
        switch value {
        case "on": return true
        case "off": return false
        default: throw ReplMistake("'\(name)' is on or off")
        }
    }

    /// Words between spaces and tabs; double quotes keep them in a word.
    private static func words(of text: String) throws(ReplMistake) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted, "\t" where !isQuoted:
                if let word { words.append(word) }
                word = nil
            default:
                word = word ?? ""
                word?.unicodeScalars.append(scalar)
            }
        }
        if isQuoted { throw ReplMistake("a quotation mark is missing") }
        return words + [word].compactMap(\.self)
    }
}
