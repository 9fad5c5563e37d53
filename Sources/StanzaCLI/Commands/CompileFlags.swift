// The compile options of the language as flags, for every command that compiles a query.

import ArgumentParser
import StanzaQuery

struct CompileFlags: ParsableArguments {
    @Flag(name: .customLong("ignore-case"), help: "Filters ignore case.")
    var ignoresCase = false

    @Flag(
        name: .customLong("strict"),
        help: "Conversions give nothing, instead of 0 or false, for text that is not entirely such a value.")
    var isStrict = false

    var options: QueryOptions {
        var options: QueryOptions = []
        if ignoresCase { options.insert(.caseInsensitiveFilters) }
        if isStrict { options.insert(.strictConversions) }
        return options
    }
}
