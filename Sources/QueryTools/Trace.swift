// A record of an evaluation, step by step, for people: `stanza explain --trace`.
//
// The instructions' names come from Disassembler.swift, the other texts from TraceTexts.swift.

public import StanzaQuery
public import XMLTree

/// The steps of a query on one element.
public struct QueryTrace: Sendable, CustomStringConvertible {
    /// One step of the machine.
    public struct Step: Sendable, Equatable {
        /// The instruction's place in the program.
        public let address: Int
        /// Its name and operands. Here and in the other texts, `…` replaces text that is too long.
        public let instruction: String
        /// The path of the top cursor: names from the root down, with the position among the children.
        public let element: String
        /// Whether the step's cursor advances to its next candidate, rather than the instruction being run.
        public let isAdvancing: Bool
        /// The result that was handed out here, if any.
        public let result: String?
    }

    public let steps: [Step]
    /// Whether more steps followed that were not recorded.
    public let isCut: Bool

    /// The steps, one in a line.
    public var description: String {
        let rows = steps.map { step in
            let place = step.element + (step.isAdvancing ? "  (advances)" : "")
            return [String(step.address), step.instruction, place + (step.result.map { "  → \($0)" } ?? "")]
        }
        var lines = alignedLines(of: rows, numbers: [0])
        if isCut { lines.append("… more steps than \(Self.maximumSteps)") }
        return lines.joined(separator: "\n")
    }

    /// The limit of steps: as many as a reader can follow, in little memory.
    static let maximumSteps = 10_000
    /// The maximum number of characters of each text of a step. The reader has the query and the stanza; a trace would
    /// repeat a long text with each step, ten thousand times.
    static let maximumTextLength = 200
}

extension Query {
    /// Evaluates the query and records at most 10,000 steps of the machine, with the beginning of long names, values
    /// and operands. So the trace has some megabytes at most, for any query and element.
    ///
    /// - Throws: The errors of `QueryableElement.find(_:_:)` for arguments; a regular expression that exceeds
    ///   its limit ends the trace with that error.
    public func trace(on element: Element, arguments: [any QueryArgument] = []) throws(QueryError) -> QueryTrace {
        var record = StepRecord()
        try Query<QueryValue>(self).observe(element, arguments, { record.add($0) }) { result in
            record.add(result())
            return !record.isCut
        }
        var texts = TraceTexts(Disassembler(program))
        let steps = record.steps.map { step in
            QueryTrace.Step(
                address: step.address, instruction: texts.instruction(at: step.address),
                element: texts.path(of: element.element(at: step.node)), isAdvancing: step.isAdvancing,
                result: step.result.map { texts.result($0) })
        }
        return QueryTrace(steps: steps, isCut: record.isCut)
    }
}

/// Records every instruction with the element that it runs on.
private struct StepRecord {
    /// One step of an evaluation.
    struct Step {
        let address: Int
        let node: NodeIndex
        /// Whether a step's cursor advances to its next candidate.
        let isAdvancing: Bool
        /// The result that was handed out here, if any.
        var result: QueryValue?
    }

    private(set) var steps: [Step] = []
    /// Whether the machine ran more steps than the trace records.
    private(set) var isCut = false

    mutating func add(_ event: MachineEvent) {
        guard case .runs(let address, let node, let isAdvancing) = event else { return }
        if steps.count == QueryTrace.maximumSteps {
            isCut = true
        } else {
            steps.append(Step(address: address, node: node, isAdvancing: isAdvancing))
        }
    }

    /// Adds a result to the last step. A result after the last recorded step belongs to a step that the trace leaves
    /// out.
    mutating func add(_ result: QueryValue) {
        if !isCut { steps[steps.count - 1].result = result }
    }
}
