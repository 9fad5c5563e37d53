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
    /// The number of results.
    private(set) var count = 0
    /// The number of stanzas.
    var stanzas = 0
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

    /// Adds results that `write` appends and counts.
    mutating func addOutput(_ write: (inout [UInt8]) -> Int) {
        let length = pending.count
        count += write(&pending)
        outputLength += pending.count - length
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
