// Stanzas in memory: what `stanza repl` asks its queries of.

import StanzaQuery

/// The stanzas of some files.
struct LoadedStanzas {
    /// So many are loaded: more are a search's business, and every query is asked of all of them.
    static let maximumCount = 100_000
    /// So many bytes of input are read.
    static let maximumBytes = 64 << 20

    private(set) var stanzas: [(element: Element, source: ResultSource)] = []
    private(set) var status = CommandStatus.success

    /// Reports on the console what cannot be read, and what there is too much of.
    init(_ files: [String], _ settings: ReadingSettings, _ console: Console) {
        var bytes = 0
        for file in files {
            do throws(SystemError) {
                if try !load(file, settings, console, &bytes) { return }
            } catch {
                console.report("\(file.onOneLine): \(error)")
                status = .badInput
            }
        }
    }

    /// Returns whether there is room for more.
    private mutating func load(
        _ file: String, _ settings: ReadingSettings, _ console: Console, _ bytes: inout Int
    ) throws(SystemError) -> Bool {
        let source = try console.open(file)
        let reader = StanzaReader(settings)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Search.chunkLength, alignment: 1)
        defer { buffer.deallocate() }
        var isAtEnd = false
        while !isAtEnd, !reader.hasEnded {
            let length = try source.read(into: buffer)
            isAtEnd = length == 0
            bytes += length
            if isAtEnd {
                reader.finish()
            } else {
                reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
            }
            while let item = reader.next() {
                switch item {
                case .stanza(let element, let position):
                    if stanzas.count == Self.maximumCount { return full(file, console) }
                    stanzas.append((element, ResultSource(file: file, line: position.line)))
                case .problem(let problem):
                    console.report(drawn: problem.report(in: file))
                    status = .badInput
                }
            }
            if bytes > Self.maximumBytes, !isAtEnd { return full(file, console) }
        }
        return true
    }

    private func full(_ file: String, _ console: Console) -> Bool {
        console.report(
            "\(file.onOneLine): only \(stanzas.count) stanzas were loaded, up to here: "
                + "'stanza find' has no such limit")
        return false
    }
}
