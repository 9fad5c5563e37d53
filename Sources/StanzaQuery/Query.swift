// A compiled query: the public face of a program.
//
// Bytecode/Compiler.swift compiles it, Evaluation.swift runs it; QueryableElement.swift has the methods of elements.

import QuerySyntax
import XMLTree

/// A compiled query of the stanza query language, immutable and usable from any thread.
///
/// ```swift
/// let fin = try Query("{urn:xmpp:mam:2}fin@complete|bool")
/// let isComplete = try iq.findFirst(fin)?.bool == true
/// ```
///
/// Elements also take a query's text; compiling it first saves the look-up in the cache of compiled queries.
public struct Query: Sendable {
    @usableFromInline let storage: Storage

    @usableFromInline init(_ storage: Storage) {
        self.storage = storage
    }

    /// Compiles a query. Linear in the length of the text.
    ///
    /// A literal with interpolations is not a `String` here but an `InterpolatedQuery`, whose values are never read as
    /// a part of the query.
    ///
    /// - Throws: `QueryError` with all mistakes in the text (rule 7.1).
    @_disfavoredOverload @inlinable
    public init(_ source: some StringProtocol, options: QueryOptions = []) throws(QueryError) {
        // Generic, because the compiler prefers functions whose types are the literals' own, even disfavored ones.
        try self.init(text: String(source), options: options)
    }

    @usableFromInline
    init(text source: String, options: QueryOptions) throws(QueryError) {
        let compiled = Compiler.compile(ParsedQuery(parsing: source), options: options)
        storage = Storage(try compiled.get(), source: source, options: options)
    }

    /// Makes a query from a program that was made of another query's.
    init(_ program: Program, of query: Query, slotValues: [QueryArgumentValue]? = nil) {
        let old = query.storage
        storage = Storage(
            program, source: old.source, options: old.options, slots: old.slots,
            slotValues: slotValues ?? old.slotValues)
    }

    /// The query's text, with `\(…)` for each interpolation.
    public var source: String { storage.source }

    /// The options it was compiled with.
    public var options: QueryOptions { storage.options }

    /// The kind of every result of this query.
    public var resultKind: ResultKind { program.resultKind }

    /// The number of arguments that an evaluation takes (rule 6.3).
    public var argumentCount: Int { program.argumentCount }

    var program: Program { storage.program }
}

extension Query {
    /// The storage that all copies of a query share. A query is one reference, so that passing it is cheap.
    @usableFromInline final class Storage: Sendable {
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

        init(
            _ program: Program, source: String, options: QueryOptions, slots: [SourceRange] = [],
            slotValues: [QueryArgumentValue] = []
        ) {
            self.program = program
            self.source = source
            self.slots = slots
            self.options = options
            self.slotValues = slotValues
            probe = Probe(program)
            resultKinds = ResultKinds(program.resultKind)
        }
    }
}

extension Query: Equatable, CustomStringConvertible {
    /// Queries are equal if their texts (code point by code point), options and interpolated values are equal.
    public static func == (left: Query, right: Query) -> Bool {
        left.options == right.options && left.source.isIdentical(to: right.source)
            && left.storage.slots == right.storage.slots
            && left.storage.slotValues.elementsEqual(right.storage.slotValues) { $0.isExactly($1) }
    }

    public var description: String { source }
}
