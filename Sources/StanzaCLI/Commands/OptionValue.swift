// Values that the argument parser would lose without a word.

import ArgumentParser

package enum OptionValue {
    /// Rejects `--option=`: the argument parser takes the next argument as its value, which may be the query or a file.
    package static func check(_ arguments: [String]) throws {
        let options = arguments.prefix { $0 != "--" }
        guard let option = options.first(where: { $0.hasPrefix("--") && $0.firstIndex(of: "=") == $0.indices.last })
        else { return }
        let name = option.dropLast().description.escapedForLine
        throw ValidationError("'\(name)=' has no value; for an empty one, write '\(name)' and '' as two arguments.")
    }
}
