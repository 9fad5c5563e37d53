// Counts the work of a query over many stanzas, instruction by instruction: `stanza explain --stats`.

public import StanzaQuery
public import XMLTree

/// Counts what a query does on elements.
///
/// ```swift
/// var statistics = QueryStatistics(of: try Query("items/item<id~^a>@id"))
/// for stanza in stanzas { try statistics.evaluate(on: stanza) }
/// let visits = statistics.steps.map(\.visits)
/// ```
///
/// Counts the machine's work on all results. It does not subtract the work that `check` or `findFirst` save when they
/// stop at the first result, or when the first instruction decides.
public struct QueryStatistics: Sendable {
    /// One instruction of the program.
    public struct Step: Sendable, Equatable {
        /// Its place in the program.
        public let address: Int
        /// The part of the query that it comes from, in UTF-8 offsets.
        public let range: Range<Int>
        /// Its name and operands.
        public let instruction: String
        /// Whether it leads to other elements. Other instructions only test the element that they run on.
        public let isStep: Bool
        /// How often it was run; for a step, also how often its cursor advanced.
        public let runs: Int
        /// The number of elements that a step visited.
        public let visits: Int
    }

    /// The query to evaluate.
    public let query: Query<QueryValue>
    /// The number of elements that the query was evaluated on.
    public private(set) var elementCount = 0
    /// The number of those with results.
    public private(set) var foundCount = 0
    /// The number of results.
    public private(set) var resultCount = 0
    private var counts: InstructionCounts

    /// Creates statistics without evaluations.
    ///
    /// - Parameter query: The query to count. Linear in the length of its program.
    public init<Output>(of query: Query<Output>) {
        self.query = Query(query)
        counts = InstructionCounts(instructions: query.hasProgram ? query.program.stepCount : 0)
    }

    /// Evaluates the query, and counts.
    ///
    /// - Throws: The errors of `QueryableElement.find(_:_:)`; the evaluation then counts nothing.
    public mutating func evaluate(on element: Element, arguments: [any QueryArgument] = []) throws(QueryError) {
        var after = counts
        var results = 0
        try query.observe(element, arguments, { after.add($0) }) { _ in
            results += 1
            return true
        }
        counts = after
        elementCount += 1
        resultCount += results
        if results > 0 { foundCount += 1 }
    }

    /// All instructions, with their counts.
    public var steps: [Step] {
        let disassembler = Disassembler(query.program)
        return counts.runs.indices.map { address in
            Step(
                address: address, range: disassembler.range(at: address),
                instruction: disassembler.describe(at: address),
                isStep: query.program.steps[address].op == .child, runs: counts.runs[address],
                visits: counts.visits[address])
        }
    }

    /// The instructions that were run.
    public var runs: Int { counts.runs.reduce(0, +) }
    /// The elements that steps visited.
    public var visits: Int { counts.visits.reduce(0, +) }
}

private struct InstructionCounts {
    private(set) var runs: [Int]
    private(set) var visits: [Int]
    private var address = 0

    init(instructions: Int) {
        runs = Array(repeating: 0, count: instructions)
        visits = runs
    }

    mutating func add(_ event: MachineEvent) {
        switch event {
        case .runs(let address, _, _):
            self.address = address
            runs[address] += 1
        case .visited: visits[address] += 1
        }
    }
}
