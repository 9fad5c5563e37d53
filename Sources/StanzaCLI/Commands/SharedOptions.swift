// The options that several commands share.

import ArgumentParser
import StanzaQuery
import XMLTree

/// The option `--arg`, for every command that evaluates a query. The query's specifiers decide what its texts mean.
struct ArgumentOption: ParsableArguments {
    @Option(
        name: .customLong("arg"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The argument of the query's next specifier ('%@', '%d', …), which sets its type. Numbers are finite and decimal.",
            valueName: "value"))
    var texts: [String] = []

    /// Names the option, if a query lacks arguments and the option was not used.
    func advise(on error: QueryError, _ console: Console) {
        if !texts.isEmpty || !error.lacksArguments { return }
        console.report(verbatim: "  '--arg VALUE' sets an argument")
    }
}

extension QueryError {
    /// Whether the query has fewer arguments than specifiers, or others.
    var lacksArguments: Bool { diagnostics.contains { $0.kind == .arguments } }
}

/// The compile options of the language as flags, for every command that compiles a query.
struct CompileFlags: ParsableArguments {
    @Flag(name: .customLong("ignore-case"), help: "Filters ignore case.")
    var ignoresCase = false

    @Flag(
        name: .customLong("strict"),
        help: "Conversions of text that is not such a value give no result, instead of 0 or false.")
    var isStrict = false

    var options: QueryOptions { QueryOptions(ignoresCase: ignoresCase, isStrict: isStrict) }
}

/// The options for reading inputs, for every command that reads stanzas.
struct InputOptions: ParsableArguments {
    @Option(help: "The format of all inputs, instead of the detected ones.")
    var format: InputFormat?

    @Option(
        name: .customLong("member"),
        help: ArgumentHelp(
            "The member of JSON lines with the stanza; 'a.b' is in the object 'a'. Repeat the option for others.",
            valueName: "name"))
    var stanzaMembers: [String] = []

    @Option(
        help: ArgumentHelp(
            "The default namespace of fragments and JSON lines; '' is none.",
            valueName: "namespace"))
    var defaultNamespace = "jabber:client"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The longest stanza in bytes (1 MiB; a document 64 MiB). Longer ones are reported and skipped.",
            valueName: "bytes"))
    var maxStanzaBytes: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("The deepest nesting of elements (256).", valueName: "depth"))
    var maxDepth: Int?

    var settings: ReadingSettings {
        var settings = ReadingSettings(
            format: format, context: context, maximumBytes: maxStanzaBytes, maximumDepth: maxDepth)
        if !stanzaMembers.isEmpty {
            settings.members = LineMembers(stanzas: stanzaMembers.map { LineMembers.names($0[...]) }, mayHaveText: true)
        }
        return settings
    }

    func validate() throws {
        if let maxStanzaBytes, maxStanzaBytes < 1 { throw ValidationError("--max-stanza-bytes must be positive.") }
        if let maxDepth, maxDepth < 1 { throw ValidationError("--max-depth must be positive.") }
        if stanzaMembers.contains(where: { LineMembers.names($0[...]).isEmpty }) {
            throw ValidationError("--member is the name of a member.")
        }
        do {
            _ = try Element(parsing: "<a/>", in: context)
        } catch {
            throw ValidationError("--default-namespace '\(defaultNamespace)' cannot be a default namespace.")
        }
    }

    /// The bindings around fragments.
    private var context: NamespaceContext {
        var context = NamespaceContext.clientStream
        context.defaultNamespace = defaultNamespace.isEmpty ? nil : defaultNamespace
        return context
    }
}

extension InputFormat: ExpressibleByArgument {}
