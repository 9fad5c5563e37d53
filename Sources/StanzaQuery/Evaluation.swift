// Evaluates compiled queries on elements: binds arguments, runs the machine, turns hits into results.
//
// Generic over the two kinds of elements, and specialised for both in this module.

import DataForms
import QuerySyntax
import XMLTree

/// An element of either kind, with what the machine needs of it.
protocol QueryTarget: TreePosition, QueryableElement {
    /// The data form at an element that is one.
    func form(at node: NodeIndex) -> Form
}

/// The three ways to evaluate a query.
enum Evaluation {
    static func find<Target: QueryTarget>(
        _ query: Query, on target: Target, arguments: [any QueryArgument]
    ) throws(QueryError) -> [QueryValue<Target>] {
        try run(query, on: target, arguments: arguments) { machine throws(RegexFault) in
            var results: [QueryValue<Target>] = []
            while let hit = try machine.next() { results.append(QueryValue(hit, in: target)) }
            return results
        }
    }

    static func findFirst<Target: QueryTarget>(
        _ query: Query, on target: Target, arguments: [any QueryArgument]
    ) throws(QueryError) -> QueryValue<Target>? {
        try run(query, on: target, arguments: arguments) { machine throws(RegexFault) in
            try machine.next().map { QueryValue($0, in: target) }
        }
    }

    static func check<Target: QueryTarget>(
        _ query: Query, on target: Target, arguments: [any QueryArgument]
    ) throws(QueryError) -> Bool {
        try run(query, on: target, arguments: arguments) { machine throws(RegexFault) in
            try machine.next() != nil
        }
    }

    @inline(__always)
    private static func run<Target: QueryTarget, Result>(
        _ query: Query, on target: Target, arguments: [any QueryArgument],
        _ body: (inout Machine<NoObserver>) throws(RegexFault) -> Result
    ) throws(QueryError) -> Result {
        if arguments.isEmpty, query.program.templates.isEmpty {
            return try run(query, on: target, values: .none, body)
        }
        let bound: BoundArguments
        do {
            bound = try BoundArguments(
                arguments, for: query.program, sourceLength: query.source.utf8.count)
        } catch {
            throw QueryError(source: query.source, error)
        }
        return try bound.withValues { values throws(QueryError) in
            try run(query, on: target, values: values, body)
        }
    }

    @inline(__always)
    private static func run<Target: QueryTarget, Result>(
        _ query: Query, on target: Target, values: ArgumentValues,
        _ body: (inout Machine<NoObserver>) throws(RegexFault) -> Result
    ) throws(QueryError) -> Result {
        var machine = Machine(
            query.program, view: target.view, context: target.index, bindings: target.bindings, arguments: values,
            observer: NoObserver())
        defer { withExtendedLifetime((target, query.program)) {} }
        do {
            return try body(&machine)
        } catch {
            let range = query.program.patterns[Int(error.pattern.rawValue)].range
            throw QueryError(source: query.source, Diagnostic(.regexLimit, at: range))
        }
    }
}

extension Element: QueryTarget {
    func form(at node: NodeIndex) -> DataForm {
        guard let form = DataForm(element(at: node)) else {
            preconditionFailure("the machine hands out data forms only")
        }
        return form
    }
}

extension MutableElement: QueryTarget {
    func form(at node: NodeIndex) -> MutableDataForm {
        guard let form = MutableDataForm(element(at: node)) else {
            preconditionFailure("the machine hands out data forms only")
        }
        return form
    }
}
