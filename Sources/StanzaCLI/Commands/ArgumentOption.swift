// The option `--arg`, for every command that evaluates a query. The query's specifiers decide the meaning of its texts.

import ArgumentParser

struct ArgumentOption: ParsableArguments {
    @Option(
        name: .customLong("arg"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The argument of the query's next specifier ('%@', '%d', …), which sets its type.", valueName: "value"))
    var texts: [String] = []
}
