// Records which elements a query visits, and whether each one matches: `stanza explain --on`.

public import StanzaQuery
public import XMLTree

/// The verdicts of a query on the elements of one stanza.
///
/// ```swift
/// let inspection = try Query("items/item<id~^a>").inspect(pubsub)
/// let marks = items.children.map { inspection.mark(of: $0) }  // .rejected, .matched
/// ```
public struct QueryInspection: Sendable {
    /// The query's verdict on an element.
    public enum Mark: Sendable, Hashable {
        /// A result comes from it.
        case matched
        /// The element matches a segment, and the query continued from it.
        case visited
        /// The query visited the element. It does not match the segment, or lacks the value to extract.
        case rejected
    }

    /// A result.
    public struct Result: Sendable {
        /// The element that it comes from: the one itself, or the one whose attribute, text, name or form was read.
        public let element: Element
        /// The value that the query reads there: the element, or the text, value or form that it ends in.
        public let value: QueryValue
    }

    /// All results, in order, up to the requested limit.
    public let results: [Result]
    /// Whether the query has more results than the limit. It is also true if a regular expression exceeds its own limit
    /// on the way to the next result. The elements that the query visits for further results have no mark.
    public let isCut: Bool

    private let root: Element
    private let marks: [NodeIndex: Mark]
    /// The results of each element, as places in `results`.
    private let found: [NodeIndex: [Int]]

    fileprivate init(_ element: Element, _ visits: Visits, _ results: [Result], isCut: Bool) {
        root = element.root
        self.results = results
        self.isCut = isCut
        found = Dictionary(grouping: results.indices) { results[$0].element.index }
        var marks = Dictionary(uniqueKeysWithValues: visits.seen.map { ($0, Mark.rejected) })
        for node in visits.passed { marks[node] = .visited }
        for node in found.keys { marks[node] = .matched }
        self.marks = marks
    }

    /// The query's verdict on an element; `nil` if the query did not visit it, or it belongs to another tree.
    public func mark(of element: Element) -> Mark? {
        element.tree === root.tree ? marks[element.index] : nil
    }

    /// The results that come from an element, in order.
    public func results(from element: Element) -> [QueryValue] {
        guard element.tree === root.tree, let places = found[element.index] else { return [] }
        return places.map { results[$0].value }
    }
}

extension Query {
    /// Evaluates the query and records its verdict on each element that it visits. The memory is linear in the number
    /// of these elements and in the results.
    ///
    /// - Parameters:
    ///   - element: The element to evaluate the query on.
    ///   - arguments: The values of its specifiers.
    ///   - limit: The maximum number of results. The machine looks for one more, to report whether there are more.
    /// - Throws: The errors of `QueryableElement.find(_:_:)`, but none for parts of the tree after the last
    ///   requested result.
    public func inspect(
        _ element: Element, arguments: [any QueryArgument] = [], limit: Int = .max
    ) throws(QueryError) -> QueryInspection {
        // A negative limit counts as zero.
        let limit = max(0, limit)
        var visits = Visits(program)
        var results: [QueryInspection.Result] = []
        // The marks describe the path to the reported results only.
        var reported = visits
        var isCut = false
        do throws(QueryError) {
            try Query<QueryValue>(self).observe(element, arguments, { visits.add($0) }) { value in
                isCut = results.count == limit
                if isCut { return false }
                results.append(QueryInspection.Result(element: element.element(at: visits.last), value: value()))
                if results.count == limit { reported = visits }
                return true
            }
        } catch {
            // A pattern that exceeds its limit after these results removes no mark.
            guard error.kind == .regexLimit, results.count == limit else { throw error }
            isCut = true
        }
        return QueryInspection(element, results.count == limit ? reported : visits, results, isCut: isCut)
    }
}

/// The elements that a machine visits.
private struct Visits {
    private(set) var seen: Set<NodeIndex> = []
    private(set) var passed: Set<NodeIndex> = []
    /// The element that the last step was run on.
    private(set) var last = NodeIndex.none
    /// For each step: whether an element that reaches it matches its segment.
    private let goesOn: [Bool]

    init(_ program: borrowing Program) {
        goesOn = program.steps.map(\.op.moves)
    }

    mutating func add(_ event: MachineEvent) {
        switch event {
        case .runs(_, _, isAdvancing: true): break
        case .runs(let address, let node, isAdvancing: false):
            last = node
            seen.insert(node)
            if goesOn[address] { passed.insert(node) }
        case .visited(let node): seen.insert(node)
        }
    }
}
