// The options that say how inputs are read, for every command that reads stanzas.

import ArgumentParser
import XMLTree

struct InputOptions: ParsableArguments {
    @Option(help: "The format of all inputs, instead of what their beginnings tell.")
    var format: InputFormat?

    @Option(
        help: ArgumentHelp(
            "The default namespace around fragments and the stanzas of JSON lines; '' is none.",
            valueName: "namespace"))
    var defaultNamespace = "jabber:client"

    @Option(
        help: ArgumentHelp(
            "The bytes of the longest stanza (1 MiB; of a document 64 MiB). Longer ones are reported and skipped.",
            valueName: "bytes"))
    var maxStanzaBytes: Int?

    @Option(help: ArgumentHelp("How deep elements may be nested (256).", valueName: "depth"))
    var maxDepth: Int?

    var settings: ReadingSettings {
        ReadingSettings(format: format, context: context, maximumBytes: maxStanzaBytes, maximumDepth: maxDepth)
    }

    func validate() throws {
        if let maxStanzaBytes, maxStanzaBytes < 1 { throw ValidationError("--max-stanza-bytes must be positive.") }
        if let maxDepth, maxDepth < 1 { throw ValidationError("--max-depth must be positive.") }
        do {
            _ = try Element(parsing: "<a/>", in: context)
        } catch {
            throw ValidationError("--default-namespace '\(defaultNamespace)' cannot be a default namespace.")
        }
    }

    /// What surrounds fragments.
    private var context: NamespaceContext {
        var context = NamespaceContext.clientStream
        context.defaultNamespace = defaultNamespace.isEmpty ? nil : defaultNamespace
        return context
    }
}

extension InputFormat: ExpressibleByArgument {}
