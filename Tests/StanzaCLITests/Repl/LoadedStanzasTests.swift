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
                let bytes = Array((files[path] ?? "").utf8)
                let pieces = stride(from: 0, to: bytes.count, by: 10).map { start in
                    Array(bytes[start..<min(start + 10, bytes.count)])
                }
                return MemorySource(pieces, isLive: false)
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
    }

    @Test("still reports mistakes before the limit")
    func problems() {
        let file = "<iq/>\n<iq x=y/>\n" + String(repeating: "<iq/>\n", count: 10)
        let (loaded, errors) = load(["f": file], LoadedStanzas.Limits(bytes: 60))
        #expect(loaded.status == .badInput)
        #expect(errors.contains("f:2:") && errors.hasSuffix(Self.notice(loaded.stanzas.count)))
    }
}
