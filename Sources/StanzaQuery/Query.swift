// A compiled query: the public face of a program.
//
// Compiling is Bytecode/Compiler.swift's, running is Evaluation.swift's business; what elements offer is
// QueryableElement.swift.

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
    /// - Throws: `QueryError` with everything that is wrong with the text (rule 7.1).
    @_disfavoredOverload @inlinable
    public init(_ source: some StringProtocol, options: QueryOptions = []) throws(QueryError) {
        // Generic, as the compiler prefers functions whose types are the literals' own, even disfavoured ones.
        try self.init(text: String(source), options: options)
    }

    @usableFromInline
    init(text source: String, options: QueryOptions) throws(QueryError) {
        let compiled = Compiler.compile(ParsedQuery(parsing: source), options: options)
        storage = Storage(try compiled.get(), source: source, options: options)
    }

    /// A query whose program was made of another one's.
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

    /// What every result of this query is.
    public var resultKind: ResultKind { program.resultKind }

    /// The number of arguments that an evaluation takes (rule 6.3).
    public var argumentCount: Int { program.argumentCount }

    var program: Program { storage.program }

    /// The text, read again: for listings, which want the names that programs do not hold.
    var parsed: ParsedQuery {
        if storage.slots.isEmpty { return ParsedQuery(parsing: source) }
        return ParsedQuery(parsing: QueryText(shownAs: source, slots: storage.slots))
    }
}

extension Query {
    /// What all copies of a query share: a query is one reference, so that passing it on costs next to nothing.
    @usableFromInline final class Storage: Sendable {
        let program: Program
        let source: String
        let options: QueryOptions
        let probe: Probe
        /// What every result is.
        @usableFromInline let resultKinds: ResultKinds
        /// Where slots stand in the text.
        let slots: [SourceRange]
        /// What they are bound to; empty as long as they are not.
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
    /// Queries are equal when their texts are, code point by code point, their options, and what is interpolated.
    public static func == (left: Query, right: Query) -> Bool {
        left.options == right.options && left.source.isIdentical(to: right.source)
            && left.storage.slots == right.storage.slots
            && left.storage.slotValues.elementsEqual(right.storage.slotValues) { $0.isExactly($1) }
    }

    public var description: String { source }
}
