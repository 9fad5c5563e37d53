// The findings of a piece of input, ready to print: they can come from another thread.

/// Results and mistakes of some stanzas, in their order.
struct Findings: Sendable {
    /// Something to print.
    enum Part: Sendable {
        /// Results, for standard output.
        case output([UInt8])
        /// A mistake, for standard error, and its effect on the exit code.
        case report(String, CommandStatus)
    }

    private(set) var parts: [Part] = []
    /// The number of results of each query.
    private(set) var counts = ResultCounts()
    /// In rows, the number of results of each query; `counts` has the number of rows.
    var columnResults = ResultCounts()
    /// The number of stanzas.
    var stanzas = 0
    /// The parts of the input without results.
    private(set) var statistics = InputStatistics()
    /// Whether these findings end the search.
    var isEnough = false
    /// Whether Ctrl-C has cut the findings off: there were more.
    var wasCut = false
    /// The length of the results as text.
    private(set) var outputLength = 0
    /// Results after the last part.
    private var pending: [UInt8] = []

    init() {}

    /// A mistake alone.
    init(report: String, _ status: CommandStatus) {
        parts = [.report(report, status)]
    }

    /// Adds results of a query, which `write` appends and counts.
    mutating func addOutput(of query: Int, _ write: (inout [UInt8]) -> Int) {
        let length = pending.count
        counts.add(write(&pending), of: query)
        outputLength += pending.count - length
    }

    /// Counts the stanzas and the text that a reader passed over.
    mutating func addPassedOver(by reader: StanzaReader) {
        let taken = reader.takeStatistics()
        stanzas += taken.passedOver
        statistics += taken
    }

    /// Adds a mistake.
    mutating func add(report: String, _ status: CommandStatus) {
        endOutput()
        parts.append(.report(report, status))
    }

    /// Makes a part of the results since the last one.
    mutating func endOutput() {
        if pending.isEmpty { return }
        parts.append(.output(pending))
        pending = []
    }
}

/// How many results each query has.
struct ResultCounts: Sendable {
    private var counts: [Int]

    init(_ counts: [Int] = []) {
        self.counts = counts
    }

    /// Of all queries together.
    var all: Int { counts.reduce(0, +) }

    /// Of one query.
    subscript(query: Int) -> Int { counts.indices.contains(query) ? counts[query] : 0 }

    mutating func add(_ count: Int, of query: Int) {
        while counts.count <= query { counts.append(0) }
        counts[query] += count
    }

    static func += (counts: inout ResultCounts, others: ResultCounts) {
        for (query, count) in others.counts.enumerated() { counts.add(count, of: query) }
    }
}
