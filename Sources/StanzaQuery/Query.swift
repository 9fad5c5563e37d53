// A compiled query with the type of its results.
//
// Program.swift is what all copies share, Evaluation.swift runs it; QueryableElement.swift has the methods of
// elements.

import QuerySyntax

/// A compiled query of the stanza query language, immutable and usable from any thread.
///
/// ```swift
/// let fin = try Query("{urn:xmpp:mam:2}fin@complete|bool", as: Bool.self)
/// let isComplete = try iq.findFirst(fin) == true
/// ```
///
/// `Output` is the type of the results. A query that is made without a type has the output ``QueryValue``, which holds
/// a result of any kind. The macro `#query` of `StanzaQueryMacros` makes a query that the compiler has checked.
///
/// Elements also take a literal; a query that you keep saves the look-up in the cache of compiled queries. A text that
/// your program makes becomes a query here alone, so that no text gets into a query by mistake.
public struct Query<Output>: Sendable {
    @usableFromInline let compiled: Program
    /// The bound arguments: none, or one for each specifier or slot. A query with some takes them from nowhere else, so
    /// no fast path for queries without arguments answers it.
    @usableFromInline let arguments: [QueryArgumentValue]

    @inlinable
    package init(_ compiled: Program, _ arguments: [QueryArgumentValue] = []) {
        self.compiled = compiled
        self.arguments = arguments
    }

    /// The query's text, with `\(…)` for each interpolation.
    public var source: String { compiled.source }

    /// The options it was compiled with.
    public var options: QueryOptions { compiled.options }

    /// The kind of every result of this query.
    public var resultKind: ResultKind { compiled.resultKind }

    /// The number of arguments that an evaluation takes (rule 6.3); bound arguments do not count.
    public var argumentCount: Int { arguments.isEmpty ? max(0, compiled.argumentCount) : 0 }

    package var program: Program { compiled }

    /// The error of every evaluation, of a query that has no program.
    package var error: QueryError? { compiled.error }

    /// Whether it has a program. A query of `#query` whose evaluations throw has none.
    package var hasProgram: Bool { compiled.error == nil }

    /// The size in bytes of the query's program: its steps, their places in the text, and strings, without its regular
    /// expressions; 0 without a program.
    public var programByteCount: Int { hasProgram ? program.byteCount : 0 }

    /// The query with its arguments: one for each specifier, in order. An evaluation then takes none.
    ///
    /// ```swift
    /// let items = try Query("items<node=%@>/item").binding("urn:xmpp:avatar:metadata")
    /// ```
    ///
    /// - Throws: `QueryError` for arguments that do not fit (6.3).
    public func binding(_ arguments: any QueryArgument...) throws(QueryError) -> Query {
        try binding(arguments: arguments)
    }

    /// The query with its arguments, from an array. See `binding(_:)`.
    public func binding(arguments: [any QueryArgument]) throws(QueryError) -> Query {
        let values = arguments.map(\.queryArgument)
        let bound = try binding(values: values)
        try checkArguments(values)
        return bound
    }

    /// The query with its arguments. An evaluation throws if one is of a wrong type.
    package func binding(values: [QueryArgumentValue]) throws(QueryError) -> Query {
        if values.count != argumentCount { try checkArguments(values) }
        return values.isEmpty ? self : Query(compiled, values)
    }
}

// MARK: Results of any kind

extension Query where Output == QueryValue {
    /// Compiles a literal, once for all values of its interpolations. The values belong to the query, and are never
    /// read as a part of its text.
    ///
    /// - Throws: `QueryError` with all mistakes in the text (rule 7.1).
    public init(_ literal: QueryLiteral, options: QueryOptions = []) throws(QueryError) {
        self.init(try Program.compile(literal, options))
    }

    /// The query of a text that the program makes. The cache keeps a bounded number of compiled texts.
    ///
    /// Everything in the text is a part of the query. Pass a value from outside as an argument: `find(query, value)`.
    ///
    /// - Throws: `QueryError` with all mistakes in the text (rule 7.1).
    /// - Complexity: Linear in the length of the text.
    @_disfavoredOverload
    public init(_ source: some StringProtocol, options: QueryOptions = []) throws(QueryError) {
        // Generic, because the compiler prefers functions whose types are the literals' own, even disfavored ones.
        self.init(try compiledText(String(source), options))
    }

    /// The same query with results of any kind.
    @inlinable
    public init<Other>(_ query: Query<Other>) { self.init(query.compiled, query.arguments) }
}

// MARK: Results of one type

extension Query where Output: QueryDecodable {
    /// Compiles a literal whose results are of one type. Conversions are strict, unless the options have `lenient`.
    ///
    /// - Throws: `QueryError` with all mistakes in the text (rule 7.1), or of the kind `resultType` if the type does
    ///   not take its results.
    public init(_ literal: QueryLiteral, as type: Output.Type, options: QueryOptions = []) throws(QueryError) {
        self.init(try Program.compile(literal, options.ofType))
        try compiled.checkResults(are: type)
    }

    /// The query of a text that the program makes, for results of one type. See the form for literals, and the form
    /// without a type.
    @_disfavoredOverload
    public init(_ source: some StringProtocol, as type: Output.Type, options: QueryOptions = []) throws(QueryError) {
        self.init(try compiledText(String(source), options.ofType))
        try compiled.checkResults(are: type)
    }

    /// The same query with results of one type. Its conversions stay as they are.
    ///
    /// - Throws: `QueryError` of the kind `resultType` if the type does not take its results.
    public init<Other>(_ query: Query<Other>, as type: Output.Type) throws(QueryError) {
        try query.compiled.checkResults(are: type)
        self.init(query.compiled, query.arguments)
    }
}

extension Query: CustomStringConvertible {
    public var description: String { source }

    /// The values of its slots, or its bound arguments.
    package var values: [QueryArgumentValue] { compiled.slotValues.isEmpty ? arguments : compiled.slotValues }
}
