// Values that the argument parser would lose without a word.

import ArgumentParser

package enum OptionValue {
    /// Rejects `--option=`: the argument parser takes the next argument as its value, which may be the query or a file.
    package static func check(_ arguments: [String]) throws {
        var isValue = false
        for argument in arguments.prefix(while: { $0 != "--" }) {
            if !isValue, argument.hasPrefix("--"), argument.firstIndex(of: "=") == argument.indices.last {
                throw ValidationError(
                    "'\(argument.escapedForLine)' has no value; an empty one is an argument of its own: ''.")
            }
            isValue = !isValue && takers.contains(argument)
        }
    }

    /// The options whose value may look like an option.
    private static let takers: Set = ["--arg", "--jobs", "--query", "--set"]
}
