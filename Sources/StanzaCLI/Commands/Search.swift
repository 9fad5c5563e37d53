// The search of `stanza find`: goes through the inputs, evaluates the query on each stanza, prints, and sums up.

import StanzaQuery

/// One run of `stanza find`.
struct Search {
    private let query: Query
    private let arguments: [any QueryArgument]
    private let settings: ReadingSettings
    private let stopsAtFirst: Bool
    private let console: Console
    private var printer: ResultPrinter
    /// The worst that happened, apart from finding nothing.
    private var status = CommandStatus.success
    /// Whether the answer is known, or nobody reads it.
    private var isDone = false

    /// So much is read at once.
    private static let chunkLength = 1 << 16

    /// - Parameter stopsAtFirst: Whether the first result of all input is enough.
    init(
        _ query: Query, arguments: [any QueryArgument], settings: ReadingSettings, printer: ResultPrinter,
        stopsAtFirst: Bool, on console: Console
    ) {
        self.query = query
        self.arguments = arguments
        self.settings = settings
        self.printer = printer
        self.stopsAtFirst = stopsAtFirst || printer.form == .nothing
        self.console = console
    }

    /// Searches the inputs in order; `-` is standard input.
    mutating func run(_ files: [String]) -> CommandStatus {
        printer.begin()
        for file in files where !isDone { search(file) }
        printer.end()
        return max(status, printer.count > 0 ? .success : .nothing)
    }

    private mutating func search(_ file: String) {
        do throws(SystemError) {
            try search(file == "-" ? console.input : console.open(file), named: file)
        } catch {
            status = .badInput
            console.report("\(file): \(error)")
        }
    }

    private mutating func search(_ source: any ByteSource, named file: String) throws(SystemError) {
        let reader = StanzaReader(settings)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkLength, alignment: 1)
        defer { buffer.deallocate() }
        var isAtEnd = false
        while !isDone, !isAtEnd, !reader.hasEnded {
            let count = try source.read(into: buffer)
            isAtEnd = count == 0
            if isAtEnd {
                reader.finish()
            } else {
                reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            while !isDone, let item = reader.next() { take(item, from: file) }
            // Who waits at a pipe has all results before more input is waited for.
            if source.isLive { console.output.flush() }
            if console.output.failure != nil { isDone = true }
        }
    }

    private mutating func take(_ item: InputItem, from file: String) {
        switch item {
        case .stanza(let stanza, let line):
            evaluate(on: stanza, from: ResultSource(file: file, line: line))
        case .problem(let problem):
            status = .badInput
            console.report("\(file):\(problem.line):\(problem.column): \(problem.message)")
        }
    }

    private mutating func evaluate(on stanza: Element, from source: ResultSource) {
        do throws(QueryError) {
            if stopsAtFirst {
                guard let result = try stanza.findFirst(query, arguments: arguments) else { return }
                printer.print([result], from: source)
                isDone = true
            } else {
                printer.print(try stanza.find(query, arguments: arguments), from: source)
            }
        } catch {
            status = max(status, .usage)
            console.report("\(source.file):\(source.line): the query could not be evaluated on this stanza")
            console.report(drawn: error.description)
        }
    }
}
