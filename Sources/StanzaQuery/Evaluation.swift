// Evaluates compiled queries on elements: binds arguments, runs the machine, turns hits into results.
//
// Generic over the two kinds of elements, and specialized for both in this module. On frozen trees,
// FastEvaluation.swift answers most evaluations.

import FormModel
import QuerySyntax
import XMLTree

/// An element of either kind, with the data that the machine needs.
protocol QueryTarget: TreePosition, QueryableElement {
    /// The same as `view`, `index` and `element(at:)`, as requirements of this module, whose calls the optimizer can
    /// inline.
    var storage: TreeView { get }
    var place: NodeIndex { get }
    func at(_ node: NodeIndex) -> Self
}

/// The ways to evaluate a query. Its bound arguments take the place of the call's.
enum Evaluation {
    @inline(__always)
    static func find<Target: QueryTarget>(
        _ query: Program, _ bound: [QueryArgumentValue], on target: Target, _ values: _QueryArguments
    ) throws(QueryError) -> [QueryResult<Target>] {
        try run(query, bound, on: target, values, observer: NoObserver()) { machine throws(RegexFault) in
            if query.yieldsElements { return try withNodes(&machine) { $0.map { .element(target.at($0)) } } }
            var results: [QueryResult<Target>] = []
            while let hit = try machine.next() { results.append(QueryResult(hit, of: query, in: target)) }
            return results
        }
    }

    @inline(__always)
    static func findElements<Target: QueryTarget>(
        _ query: Program, _ bound: [QueryArgumentValue], on target: Target, _ values: _QueryArguments
    ) throws(QueryError) -> [Target] {
        try run(query, bound, on: target, values, observer: NoObserver()) { machine throws(RegexFault) in
            try withNodes(&machine) { target.elements(at: $0) }
        }
    }

    @inline(__always)
    static func findFirst<Target: QueryTarget>(
        _ query: Program, _ bound: [QueryArgumentValue], on target: Target, _ values: _QueryArguments
    ) throws(QueryError) -> QueryResult<Target>? {
        try run(query, bound, on: target, values, observer: NoObserver()) { machine throws(RegexFault) in
            try machine.next().map { QueryResult($0, of: query, in: target) }
        }
    }

    @inline(__always)
    static func check<Target: QueryTarget>(
        _ query: Program, _ bound: [QueryArgumentValue], on target: Target, _ values: _QueryArguments
    ) throws(QueryError) -> Bool {
        try run(query, bound, on: target, values, observer: NoObserver()) { machine throws(RegexFault) in
            try machine.next() != nil
        }
    }

    /// Passes all results of a program whose results are elements, so that their array has its size at once.
    @inline(__always)
    private static func withNodes<Result>(
        _ machine: inout Machine<NoObserver>, _ body: (UnsafeBufferPointer<NodeIndex>) -> Result
    ) throws(RegexFault) -> Result {
        try withUnsafeTemporaryAllocation(of: NodeIndex.self, capacity: 64) { batch throws(RegexFault) in
            var count = try machine.nextElements(batch)
            if count < batch.count { return body(UnsafeBufferPointer(rebasing: batch[..<count])) }
            var nodes: [NodeIndex] = []
            while count > 0 {
                nodes.append(contentsOf: batch[..<count])
                count = try machine.nextElements(batch)
            }
            return nodes.withUnsafeBufferPointer(body)
        }
    }

    /// Runs a machine with all inputs that a query may need.
    @inline(__always)
    static func run<Target: QueryTarget, Observer: MachineObserver, Result>(
        _ query: Program, _ bound: [QueryArgumentValue], on target: Target, _ values: _QueryArguments,
        observer: Observer,
        _ body: (inout Machine<Observer>) throws(RegexFault) -> Result
    ) throws(QueryError) -> Result {
        if _slowPath(!bound.isEmpty), !values.isEmpty, query.error == nil {
            throw QueryError(query, .argumentsAreBound(given: values.count))
        }
        return try bound.withUnsafeBufferPointer { bound throws(QueryError) in
            let values = bound.isEmpty ? values : bound
            return try ArgumentValues.bind(values, for: query) { values throws(QueryError) in
                let bindings = query.usesPrefixes ? target.bindings : nil
                defer { withExtendedLifetime((target, query, bindings)) {} }
                let input = MachineInput(
                    .passUnretained(query), view: target.storage, bindings: bindings.map { .passUnretained($0) },
                    arguments: values)
                var machine = Machine(input, context: target.place, observer: observer)
                do throws(RegexFault) {
                    return try body(&machine)
                } catch {
                    throw QueryError(query, error)
                }
            }
        }
    }
}

extension QueryError {
    /// A regular expression that exceeded its limit.
    @inline(never)
    init(_ query: Program, _ fault: RegexFault) {
        // Without the '>' at its end.
        let condition = query.place(of: fault.step).rest
        self.init(source: query.source, Diagnostic(.regexLimit, at: condition.lowerBound..<condition.upperBound - 1))
    }
}

extension QueryTarget {
    /// Elements of this tree. For eight in a row, the compiler retains the tree once: that takes a third off the time.
    @inline(__always)
    func elements(at nodes: UnsafeBufferPointer<NodeIndex>) -> [Self] {
        var elements: [Self] = []
        elements.reserveCapacity(nodes.count)
        var count = 0
        func add() {
            elements.append(at(nodes[count]))
            count &+= 1
        }
        while count &+ 8 <= nodes.count {
            add(); add(); add(); add()
            add(); add(); add(); add()
        }
        while count < nodes.count { add() }
        return elements
    }

    func form(at node: NodeIndex) -> DataFormElement<Self> {
        guard let form = DataFormElement(element(at: node)) else {
            preconditionFailure("the machine hands out data forms only")
        }
        return form
    }
}

extension Element: QueryTarget {
    @inline(__always) var storage: TreeView { tree.view }
    @inline(__always) var place: NodeIndex { index }
    @inline(__always) func at(_ node: NodeIndex) -> Element { Element(tree: tree, index: node) }
}

extension MutableElement: QueryTarget {
    var storage: TreeView { view }
    var place: NodeIndex { index }
    func at(_ node: NodeIndex) -> MutableElement { element(at: node) }
}
