// The amount that `stanza repl` loads, and its report of the rest.

import Testing

@testable import StanzaCLI

@Suite("Loaded stanzas")
struct LoadedStanzasTests {
    /// Loads files in pieces of 10 bytes.
    private func load(
        _ files: [String: String], _ limits: LoadedStanzas.Limits
    ) -> (loaded: LoadedStanzas, errors: String) {
        let errors = MemorySink()
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(MemorySink()), errors: Output(errors),
            open: { path throws(SystemError) in
                MemorySource(pieces(files[path] ?? "", of: 10), isLive: false)
            })
        let loaded = LoadedStanzas(files.keys.sorted(), ReadingSettings(), console, limits: limits)
        console.errors.flush()
        return (loaded, errors.text)
    }

    private static let line = #"{"xml": "<iq id='1'/>"}"# + "\n"

    private static func notice(_ count: Int) -> String {
        "\(count == 1 ? "1 stanza was" : "\(count) stanzas were") loaded, up to here: 'stanza find' has no such limit\n"
    }

    @Test("leaves out input beyond the limit without an error", arguments: ["<iq id='1'/>\n", line])
    func bytes(line: String) {
        let file = String(repeating: line, count: 10)
        // For any position of the limit.
        for limit in 0..<file.utf8.count {
            let (loaded, errors) = load(["f": file], LoadedStanzas.Limits(bytes: limit))
            let whole = limit / line.utf8.count
            #expect((whole...whole + 1).contains(loaded.stanzas.count), "\(limit)")
            #expect(loaded.status == .success)
            #expect(errors == "stanza: f: only \(Self.notice(loaded.stanzas.count))", "\(limit)")
        }
        let (loaded, errors) = load(["f": file], LoadedStanzas.Limits(bytes: file.utf8.count))
        #expect(loaded.stanzas.count == 10 && errors.isEmpty && loaded.status == .success)
    }

    @Test("counts stanzas and bytes of all files together")
    func files() {
        let file = String(repeating: Self.line, count: 3)
        let (loaded, errors) = load(["f": file, "g": file], LoadedStanzas.Limits(count: 4))
        #expect(loaded.stanzas.count == 4 && loaded.status == .success)
        #expect(errors == "stanza: g: only \(Self.notice(4))")
        let (full, more) = load(["f": file, "g": file], LoadedStanzas.Limits(bytes: file.utf8.count))
        #expect(full.stanzas.count == 3 && full.status == .success)
        #expect(more == "stanza: g: only \(Self.notice(3))")
        // Mistakes before the limit are still reported.
        let wrong = "<iq/>\n<iq x=y/>\n" + "<iq/>\n" * 10
        let (some, mistakes) = load(["f": wrong], LoadedStanzas.Limits(bytes: 60))
        #expect(some.status == .badInput)
        #expect(mistakes.contains("f:2:") && mistakes.hasSuffix(Self.notice(some.stanzas.count)))
    }
}
