// Evaluates compiled queries on elements: binds arguments, runs the machine, turns hits into results.
//
// Generic over the two kinds of elements, and specialised for both in this module. An evaluation without arguments
// first takes the fast path below, which holds nothing and throws nothing; what that cannot decide is evaluated again.

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
        try run(query, on: target, arguments: arguments) { machine throws(RegexFault) in
            var results: [QueryValue<Target>] = []
            while let hit = try machine.next() { results.append(QueryValue(hit, in: target)) }
            return results
        }
    }

    static func findFirst<Target: QueryTarget>(
        _ query: Query, on target: Target, arguments: [any QueryArgument]
    ) throws(QueryError) -> QueryValue<Target>? {
        if arguments.isEmpty, query.program.isSelfContained {
            switch firstHit(.passUnretained(query.program), target.storage, target.index) {
            case .hit(let hit): return QueryValue(hit, in: target)
            case .nothing: return nil
            case .undecided: break
            }
        }
        return try run(query, on: target, arguments: arguments) { machine throws(RegexFault) in
            try machine.next().map { QueryValue($0, in: target) }
        }
    }

    static func check<Target: QueryTarget>(
        _ query: Query, on target: Target, arguments: [any QueryArgument]
    ) throws(QueryError) -> Bool {
        if arguments.isEmpty, query.program.isSelfContained,
            let isFound = hasHit(.passUnretained(query.program), target.storage, target.index)
        {
            return isFound
        }
        return try run(query, on: target, arguments: arguments) { machine throws(RegexFault) in
            try machine.next() != nil
        }
    }

    private static func run<Target: QueryTarget, Result>(
        _ query: Query, on target: Target, arguments: [any QueryArgument],
        _ body: (inout Machine<NoObserver>) throws(RegexFault) -> Result
    ) throws(QueryError) -> Result {
        let bound: BoundArguments
        do {
            bound = try BoundArguments(arguments, for: query.program, sourceLength: query.source.utf8.count)
        } catch {
            throw QueryError(source: query.source, error)
        }
        return try bound.withValues { values throws(QueryError) in
            let bindings = target.bindings
            defer { withExtendedLifetime((target, query.program, bindings)) {} }
            let input = MachineInput(
                .passUnretained(query.program), view: target.view, bindings: bindings.map { .passUnretained($0) },
                arguments: values)
            var machine = Machine(input, context: target.index, observer: NoObserver())
            do throws(RegexFault) {
                return try body(&machine)
            } catch {
                let range = query.program.patterns[Int(error.pattern.rawValue)].range
                throw QueryError(source: query.source, Diagnostic(.regexLimit, at: range))
            }
        }
    }
}

// MARK: The fast path

extension Evaluation {
    /// What the fast path found out.
    enum Outcome {
        case hit(Hit)
        case nothing
        /// The evaluation has to be done with everything that it may need: arguments, bindings, an error to throw.
        case undecided
    }

    /// The first result of a program that needs neither arguments nor bindings. It releases nothing that its caller
    /// holds, and says so to the optimiser: that spares callers a retain and a release for each evaluation.
    @inline(never) @_effects(releasenone)
    static func firstHit(_ program: Unmanaged<Program>, _ view: TreeView, _ context: NodeIndex) -> Outcome {
        let input = MachineInput(program, view: view, bindings: nil, arguments: .none)
        var machine = Machine(input, context: context, observer: NoObserver())
        do {
            guard let hit = try machine.next() else { return .nothing }
            return machine.hasJoinedText ? .undecided : .hit(hit)
        } catch {
            return .undecided
        }
    }

    /// Whether a program that needs neither arguments nor bindings has a result; `nil` when that is undecided.
    @inline(never) @_effects(releasenone)
    static func hasHit(_ program: Unmanaged<Program>, _ view: TreeView, _ context: NodeIndex) -> Bool? {
        let input = MachineInput(program, view: view, bindings: nil, arguments: .none)
        var machine = Machine(input, context: context, observer: NoObserver())
        do {
            return try machine.next() != nil
        } catch {
            return nil
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
