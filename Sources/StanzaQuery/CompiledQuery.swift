// The part of a query that all its copies share: its program, its text and its options.

import QuerySyntax

/// A compiled query without its arguments and the type of its results. One reference, so that passing it is cheap.
@usableFromInline
final class CompiledQuery: Sendable {
    let program: Program
    let source: String
    let options: QueryOptions
    let probe: Probe
    /// The kind of every result.
    @usableFromInline let resultKinds: ResultKinds
    /// The places of the slots in the text.
    let slots: [SourceRange]
    /// The values of the slots; empty until they are bound.
    let slotValues: [QueryArgumentValue]
    /// The error of every evaluation, for a text that could not be compiled. See `Query.init(failing:)`.
    let error: QueryError?

    init(
        _ program: Program, source: String, options: QueryOptions, slots: [SourceRange] = [],
        slotValues: [QueryArgumentValue] = [], error: QueryError? = nil
    ) {
        self.program = program
        self.source = source
        self.slots = slots
        self.options = options
        self.slotValues = slotValues
        self.error = error
        probe = Probe(program)
        resultKinds = ResultKinds(program.resultKind)
    }

    @usableFromInline
    convenience init(text source: String, options: QueryOptions) throws(QueryError) {
        let compiled = Compiler.compile(ParsedQuery(parsing: source), options: options)
        self.init(try compiled.get(), source: source, options: options)
    }

    /// Makes a query from a program that was made of another query's.
    convenience init(_ program: Program, of old: CompiledQuery, slotValues: [QueryArgumentValue]? = nil) {
        self.init(
            program, source: old.source, options: old.options, slots: old.slots,
            slotValues: slotValues ?? old.slotValues)
    }

    /// The kind of every result.
    var resultKind: ResultKind { program.resultKind }

    /// The number of arguments that an evaluation takes.
    var argumentCount: Int { program.argumentCount }

    @inlinable
    func checkResults<Value: QueryDecodable>(are type: Value.Type) throws(ResultTypeError) {
        if type.queryResultKinds.isDisjoint(with: resultKinds) { throw ResultTypeError(self, type) }
    }
}

extension Query {
    /// A query whose evaluations throw an error.
    init(failing error: QueryError) {
        // It has an argument, so that no fast path answers: see `QueryableElement+Evaluation.swift`.
        guard let program = try? Compiler.compile(ParsedQuery(parsing: "/<a=%d>"), options: []).get() else {
            preconditionFailure("the query has no mistake")
        }
        let failing = CompiledQuery(program, source: error.source, options: [], error: error)
        self.init(failing, [.integer(0)])
    }
}
