// Evaluates compiled queries on elements: binds arguments, runs the machine, turns hits into results.
//
// Generic over the two kinds of elements, and specialised for both in this module. An evaluation without arguments
// first takes the fast path in FastEvaluation.swift; what that cannot decide is evaluated here.

import DataForms
import QuerySyntax
import XMLTree

/// An element of either kind, with what the machine needs of it.
protocol QueryTarget: TreePosition, QueryableElement {
    /// The same as `view`, as a requirement of this module: a call that the optimiser can see through.
    var storage: TreeView { get }
    /// The data form at an element that is one.
    func form(at node: NodeIndex) -> Form
}

/// The three ways to evaluate a query.
enum Evaluation {
    static func find<Target: QueryTarget>(
        _ query: Query, on target: Target, arguments: [any QueryArgument]
    ) throws(QueryError) -> [QueryValue<Target>] {
        try run(query, on: target, arguments: arguments, observer: NoObserver()) { machine throws(RegexFault) in
            var results: [QueryValue<Target>] = []
            while let hit = try machine.next() { results.append(QueryValue(hit, in: target)) }
            return results
        }
    }

    static func findFirst<Target: QueryTarget>(
        _ query: Query, on target: Target, arguments: [any QueryArgument]
    ) throws(QueryError) -> QueryValue<Target>? {
        defer { withExtendedLifetime((query.program, target)) {} }
        if arguments.isEmpty, query.program.isSelfContained {
            switch FastEvaluation.firstHit(query.program, target.storage, target.index) {
            case .hit(let hit): return QueryValue(hit, in: target)
            case .nothing: return nil
            case .undecided: break
            }
        }
        return try run(query, on: target, arguments: arguments, observer: NoObserver()) { machine throws(RegexFault) in
            try machine.next().map { QueryValue($0, in: target) }
        }
    }

    static func check<Target: QueryTarget>(
        _ query: Query, on target: Target, arguments: [any QueryArgument]
    ) throws(QueryError) -> Bool {
        defer { withExtendedLifetime((query.program, target)) {} }
        if arguments.isEmpty, query.program.isSelfContained,
            let isFound = FastEvaluation.hasHit(query.program, target.storage, target.index)
        {
            return isFound
        }
        return try run(query, on: target, arguments: arguments, observer: NoObserver()) { machine throws(RegexFault) in
            try machine.next() != nil
        }
    }

    /// Runs a machine with everything that a query may need.
    static func run<Target: QueryTarget, Observer: MachineObserver, Result>(
        _ query: Query, on target: Target, arguments: [any QueryArgument], observer: Observer,
        _ body: (inout Machine<Observer>) throws(RegexFault) -> Result
    ) throws(QueryError) -> Result {
        try ArgumentValues.bind(arguments, for: query) { values throws(QueryError) in
            let bindings = target.bindings
            defer { withExtendedLifetime((target, query.program, bindings)) {} }
            let input = MachineInput(
                .passUnretained(query.program), view: target.view, bindings: bindings.map { .passUnretained($0) },
                arguments: values)
            var machine = Machine(input, context: target.index, observer: observer)
            do throws(RegexFault) {
                return try body(&machine)
            } catch {
                let range = query.program.patterns[Int(error.pattern.rawValue)].range
                throw QueryError(source: query.source, Diagnostic(.regexLimit, at: range))
            }
        }
    }
}

extension Element: QueryTarget {
    @inline(__always) var storage: TreeView { tree.view }

    func form(at node: NodeIndex) -> DataForm {
        guard let form = DataForm(element(at: node)) else {
            preconditionFailure("the machine hands out data forms only")
        }
        return form
    }
}

extension MutableElement: QueryTarget {
    var storage: TreeView { view }

    func form(at node: NodeIndex) -> MutableDataForm {
        guard let form = MutableDataForm(element(at: node)) else {
            preconditionFailure("the machine hands out data forms only")
        }
        return form
    }
}
