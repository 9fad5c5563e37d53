// The part of a query that all its copies share: its program, its text and its options.

import QuerySyntax

/// A compiled query without its arguments and the type of its results. One reference, so that passing it is cheap.
@usableFromInline
final class CompiledQuery: Sendable {
    let program: Program
    let source: String
    let options: QueryOptions
    let probe: Probe
    /// The kind of every result; none for a text that could not be compiled.
    @usableFromInline let resultKinds: ResultKinds
    /// The places of the slots in the text.
    let slots: [SourceRange]
    /// The values of the slots; empty until they are bound.
    let slotValues: [QueryArgumentValue]
    /// The error of every evaluation, for a text that could not be compiled. See `init(failing:)`.
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
        resultKinds = error == nil ? ResultKinds(program.resultKind) : []
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
    func checkResults<Value: QueryDecodable>(are type: Value.Type) throws(QueryError) {
        if type.queryResultKinds.isDisjoint(with: resultKinds) { throw QueryError(self, decodedAs: type) }
    }
}

extension QueryError {
    /// Reports that a type does not take the results of a query, or the query's own error.
    @usableFromInline @inline(never)
    init(_ query: CompiledQuery, decodedAs type: any QueryDecodable.Type) {
        if let error = query.error {
            self = error
            return
        }
        let kinds = ResultKind.allCases.filter { type.queryResultKinds.contains(ResultKinds($0)) }
        let problem = Diagnostic.Problem.resultType(
            String(describing: type), of: query.resultKind.rawValue,
            accepted: kinds.map(\.rawValue).stablySorted(by: <))
        let range = query.program.steps.last?.range ?? 0..<query.source.utf8.count
        self.init(source: query.source, Diagnostic(problem, at: range))
    }
}

// MARK: Queries that fail

extension CompiledQuery {
    /// The program of queries whose evaluations throw an error. It has an argument, so that no fast path answers: see
    /// `QueryableElement+Evaluation.swift`.
    private static let failingProgram: Program = {
        guard let program = try? Compiler.compile(ParsedQuery(parsing: "/<a=%d>"), options: []).get() else {
            preconditionFailure("the query has no mistake")
        }
        return program
    }()

    /// The bound arguments of such a query.
    static let failingArguments: [QueryArgumentValue] = [.integer(0)]

    /// A query whose evaluations throw an error, with `failingArguments` as bound arguments.
    convenience init(failing error: QueryError) {
        self.init(Self.failingProgram, source: error.source, options: [], error: error)
    }
}
