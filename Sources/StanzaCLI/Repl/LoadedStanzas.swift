// The stanzas in memory that `stanza repl` queries.

import StanzaQuery

/// The stanzas of some files.
struct LoadedStanzas {
    /// How much is loaded. Every query runs on all stanzas; larger inputs are the task of `stanza find`. The session
    /// reports the omitted rest, and that is not a failure.
    struct Limits {
        var count = 100_000
        /// The bytes of input.
        var bytes = 64 << 20
    }

    private(set) var stanzas: [(element: Element, source: ResultSource)] = []
    private(set) var status = CommandStatus.success
    private let limits: Limits
    private var bytes = 0
    private var isFull = false

    /// Reports unreadable input, and input beyond the limits, on the console.
    init(_ files: [String], _ settings: ReadingSettings, _ console: Console, limits: Limits = Limits()) {
        self.limits = limits
        for file in files {
            do throws(SystemError) {
                let source = CountedSource(try console.open(file), maximum: limits.bytes - bytes)
                try StanzaReader.read(source, settings) { item in
                    // The file continues after the cut. An error caused by the cut is not an error of the file.
                    source.hasEndedEarly ? false : take(item, file, console)
                }
                bytes += source.count
                if !isFull, !source.isCut { continue }
                console.report(
                    "\(file.asFileName): only \(counted(stanzas.count, "stanza")) "
                        + "\(stanzas.count == 1 ? "was" : "were") loaded, up to here: "
                        + "'stanza find' has no such limit")
                return
            } catch {
                console.report("\(file.asFileName): \(error)")
                status = .badInput
            }
        }
    }

    /// Returns whether there is room for more.
    private mutating func take(_ item: InputItem, _ file: String, _ console: Console) -> Bool {
        switch item {
        case .stanza(let element, let position, _):
            isFull = stanzas.count == limits.count
            if !isFull { stanzas.append((element, ResultSource(file: file, position: position))) }
        case .problem(let problem):
            console.report(problem.text(in: file))
            status = .badInput
        case .results: break
        }
        return !isFull
    }
}

/// A source that ends after a number of bytes.
final class CountedSource: ByteSource {
    private let source: any ByteSource
    private let maximum: Int
    private(set) var count = 0
    /// Whether the input had more bytes.
    private(set) var isCut = false
    /// Whether it has reported the end before the end of the input.
    private(set) var hasEndedEarly = false

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
        hasEndedEarly = isCut && taken == 0
        return taken
    }
}
