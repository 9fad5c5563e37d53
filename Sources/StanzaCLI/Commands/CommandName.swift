// Names that do not exist: the commands of both programs, settings, warnings, fields of forms. The advice is the same
// for all.

import ArgumentParser
import QuerySyntax

package enum CommandName {
    /// The maximum length of a name to correct. A longer name is not a misspelled one.
    private static let maximumBytes = 32
    /// A form can have any number of fields.
    private static let listedNames = 20

    /// What other programs call the command that searches.
    private static let searches: Set = ["grep", "search", "select", "xpath"]

    /// Rejects a first argument, or one after `help`, that is neither an option nor a command.
    package static func check(_ arguments: [String], of root: any ParsableCommand.Type) throws {
        guard let name = arguments.first(where: { $0 != "help" }), !name.hasPrefix("-") else { return }
        let commands = root.configuration.subcommands.map { $0.configuration }
        if commands.compactMap(\.commandName).contains(name) { return }
        // The first argument of the default command may be anything, and is probably not a misspelled name.
        let isMisspelled = name.allSatisfy(\.isLetter) && nearest(to: name, among: shown(of: root)) != nil
        if root.configuration.defaultSubcommand != nil, arguments.first != "help", !isMisspelled { return }
        var message = unknown("command", name, among: shown(of: root))
        if root.configuration.defaultSubcommand != nil, arguments.first == name {
            message +=
                searches.contains(name)
                ? "\n  A query finds elements, not words: stanza 'body#' FILE | grep WORD"
                : "\n  The query of that name is 'stanza find \(name)'."
        }
        throw ValidationError(message)
    }

    /// The mistake of arguments without a command.
    package static func missing(of root: any ParsableCommand.Type) -> ValidationError {
        ValidationError("Name a command; \(listing(shown(of: root)))")
    }

    private static func shown(of root: any ParsableCommand.Type) -> [String] {
        root.configuration.subcommands.map { $0.configuration }.filter(\.shouldDisplay).compactMap(\.commandName)
    }

    /// Reports that a name does not exist, with the name that was probably meant, or with the existing ones.
    ///
    /// ```text
    /// unknown command 'fnd'; did you mean 'find'?
    /// ```
    static func unknown(_ kind: String, _ name: String, among known: [String]) -> String {
        let advice = nearest(to: name, among: known).map { "did you mean '\($0)'?" } ?? listing(known)
        return "unknown \(kind) '\(name.escapedForLine)'; \(advice)"
    }

    /// The names to choose from: `expected one of: find, explain`.
    static func listing(_ known: [String]) -> String {
        if known.isEmpty { return "none exists" }
        let rest = known.count > listedNames ? " and \(known.count - listedNames) more" : ""
        return "expected one of: " + known.prefix(listedNames).joined(separator: ", ") + rest
    }

    /// The name that means the same, or the one with the fewest mistakes, at most two. Two mistakes in a name of three
    /// letters are another word.
    private static func nearest(to name: String, among names: [String]) -> String? {
        if searches.contains(name), names.contains("find") { return "find" }
        guard name.utf8.count <= maximumBytes else { return nil }
        let bytes = Array(name.utf8)
        let distances = names.map { (name: $0, distance: editDistance(bytes, Array($0.utf8))) }
        let best = distances.min { $0.distance < $1.distance }
        return best.flatMap { $0.distance <= min(2, $0.name.utf8.count / 2) ? $0.name : nil }
    }
}
