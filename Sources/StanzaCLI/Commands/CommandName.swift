// The name of a command that does not exist, for both programs.

import ArgumentParser
import QuerySyntax

package enum CommandName {
    /// Longer names are no misspelt ones.
    private static let maximumBytes = 32

    /// Refuses a first argument, or one behind `help`, that is neither an option nor a command, and tells which one it
    /// resembles.
    package static func check(_ arguments: [String], of root: any ParsableCommand.Type) throws {
        guard let name = arguments.first(where: { $0 != "help" }), !name.hasPrefix("-") else { return }
        let commands = root.configuration.subcommands.map { $0.configuration }
        let names = commands.compactMap(\.commandName)
        if names.contains(name) { return }
        let known = commands.filter(\.shouldDisplay).compactMap(\.commandName)
        let advice =
            nearest(to: name, among: known).map { "did you mean '\($0)'?" }
            ?? "there are " + known.map { "'\($0)'" }.joined(separator: ", ") + "."
        throw ValidationError("There is no command '\(name.escapedForLine)'; \(advice)")
    }

    /// The name with the fewest mistakes, if they are at most two and no more than a third of it.
    private static func nearest(to name: String, among names: [String]) -> String? {
        guard name.utf8.count <= maximumBytes else { return nil }
        let bytes = Array(name.utf8)
        let distances = names.map { (name: $0, distance: editDistance(bytes, Array($0.utf8))) }
        let best = distances.min { $0.distance < $1.distance }
        return best.flatMap { $0.distance <= min(2, 1 + $0.name.utf8.count / 3) ? $0.name : nil }
    }
}
