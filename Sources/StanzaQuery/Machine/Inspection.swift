// Which elements a query looked at, and what came of each: `stanza explain --on`.

public import XMLTree

/// What a query made of the elements of one stanza.
///
/// ```swift
/// let inspection = try Query("items/item<id~^a>").inspect(pubsub)
/// let marks = items.children.map { inspection.mark(of: $0) }  // .rejected, .matched
/// ```
public struct QueryInspection: Sendable {
    /// What came of an element.
    public enum Mark: Sendable, Hashable {
        /// A result comes from it.
        case matched
        /// It was what a segment demands, and the query went on from it.
        case visited
        /// It was looked at, and is not what a segment demands, or lacks what was to be read.
        case rejected
    }

    /// A result.
    public struct Result: Sendable {
        /// The element that it comes from: the one itself, or the one whose attribute, text, name or form was read.
        public let element: Element
        /// What the query reads there: the element, or the text, value or form that it ends in.
        public let value: QueryValue<Element>
    }

    /// All results, in order, up to the limit that was given.
    public let results: [Result]
    /// Whether there are more results than the limit; or there may be, as a regular expression ran past its own limit
    /// on the way to the next. What the query looked at, or would have looked at, for them has no mark.
    public let isCut: Bool

    private let root: Element
    private let marks: [NodeIndex: Mark]
    /// The results of each element, as places in `results`.
    private let found: [NodeIndex: [Int]]

    fileprivate init(_ element: Element, _ observer: MarkingObserver, _ results: [Result], isCut: Bool) {
        root = element.root
        self.results = results
        self.isCut = isCut
        found = Dictionary(grouping: results.indices) { results[$0].element.index }
        var marks = Dictionary(uniqueKeysWithValues: observer.seen.map { ($0, Mark.rejected) })
        for node in observer.passed { marks[node] = .visited }
        for node in found.keys { marks[node] = .matched }
        self.marks = marks
    }

    /// What came of an element; `nil` if the query did not look at it, or it belongs to another tree.
    public func mark(of element: Element) -> Mark? {
        element.tree === root.tree ? marks[element.index] : nil
    }

    /// The results that come from an element, in order.
    public func results(from element: Element) -> [QueryValue<Element>] {
        guard element.tree === root.tree, let places = found[element.index] else { return [] }
        return places.map { results[$0].value }
    }
}

extension Query {
    /// Evaluates the query and tells what it made of each element that it looked at. The memory is linear in those and
    /// in the results.
    ///
    /// - Parameters:
    ///   - element: What the query is evaluated on.
    ///   - arguments: The values of its specifiers.
    ///   - limit: How many results are wanted at most. It is looked for one more, to tell whether there are more.
    /// - Throws: what `QueryableElement.find(_:arguments:)` throws; not for what stands behind the last result that is
    ///   wanted.
    public func inspect(
        _ element: Element, arguments: [any QueryArgument] = [], limit: Int = .max
    ) throws(QueryError) -> QueryInspection {
        // Less than none cannot be wanted.
        let limit = max(0, limit)
        return try observe(element, arguments, by: MarkingObserver(program)) { machine throws(RegexFault) in
            var results: [QueryInspection.Result] = []
            while results.count < limit, let hit = try machine.next() {
                results.append(
                    QueryInspection.Result(
                        element: element.element(at: machine.observer.last), value: QueryValue(hit, in: element)))
            }
            // The marks are those of the way to the results that are told.
            let observer = machine.observer
            var isCut = false
            if results.count == limit {
                // A pattern that runs past its limit behind them takes none of them away.
                do throws(RegexFault) { isCut = try machine.next() != nil } catch { isCut = true }
            }
            return QueryInspection(element, observer, results, isCut: isCut)
        }
    }
}

/// Notes the elements that a machine looks at.
private struct MarkingObserver: MachineObserver {
    private(set) var seen: Set<NodeIndex> = []
    private(set) var passed: Set<NodeIndex> = []
    /// The element that the last instruction was run on.
    private(set) var last = NodeIndex.none
    /// For each instruction whether who comes to it was what its segment demands.
    private let goesOn: [Bool]

    init(_ program: borrowing Program) {
        goesOn = program.listing.map { [.step, .leave, .ascend].contains($0.definition.effect) }
    }

    mutating func willRun(_ address: Int, node: NodeIndex, isAdvancing: Bool) {
        if isAdvancing { return }
        last = node
        seen.insert(node)
        if goesOn[address] { passed.insert(node) }
    }

    mutating func didVisit(_ node: NodeIndex) { seen.insert(node) }
}
