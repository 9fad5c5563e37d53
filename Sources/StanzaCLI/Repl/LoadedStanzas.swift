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
    private var bytes = 0
    private var isFull = false

    /// Reports on the console what cannot be read, and what there is too much of.
    init(_ files: [String], _ settings: ReadingSettings, _ console: Console) {
        for file in files {
            do throws(SystemError) {
                let source = CountedSource(try console.open(file), maximum: Self.maximumBytes - bytes)
                try StanzaReader.read(source, settings) { take($0, file, console) }
                bytes += source.count
                if !isFull, !source.isCut { continue }
                console.report(
                    "\(file.onOneLine): only \(stanzas.count) stanzas were loaded, up to here: "
                        + "'stanza find' has no such limit")
                return
            } catch {
                console.report("\(file.onOneLine): \(error)")
                status = .badInput
            }
        }
    }

    /// Returns whether there is room for more.
    private mutating func take(_ item: InputItem, _ file: String, _ console: Console) -> Bool {
        switch item {
        case .stanza(let element, let position):
            isFull = stanzas.count == Self.maximumCount
            if !isFull { stanzas.append((element, ResultSource(file: file, line: position.line))) }
        case .problem(let problem):
            console.report(drawn: problem.report(in: file))
            status = .badInput
        }
        return !isFull
    }
}

/// A source that ends after so many bytes.
private final class CountedSource: ByteSource {
    private let source: any ByteSource
    private let maximum: Int
    private(set) var count = 0
    /// Whether there was more.
    private(set) var isCut = false

    init(_ source: any ByteSource, maximum: Int) {
        self.source = source
        self.maximum = maximum
    }

    var mayWait: Bool { source.mayWait }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let length = try source.read(into: buffer)
        let taken = min(length, maximum - count)
        isCut = isCut || taken < length
        count += taken
        return taken
    }
}
