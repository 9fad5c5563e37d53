// The compile options of the language as flags, for every command that compiles a query.

import ArgumentParser
import StanzaQuery

struct CompileFlags: ParsableArguments {
    @Flag(name: .customLong("ignore-case"), help: "Filters ignore case.")
    var ignoresCase = false

    @Flag(
        name: .customLong("strict"),
        help: "Conversions of text that is not such a value give no result, instead of 0 or false.")
    var isStrict = false

    var options: QueryOptions { QueryOptions(ignoresCase: ignoresCase, isStrict: isStrict) }
}
