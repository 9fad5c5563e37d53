// A compiled query: the public face of a program.
//
// Compiling is Bytecode/Compiler.swift's, running is Evaluation.swift's business; what elements offer is
// QueryableElement.swift.

import QuerySyntax

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
    /// - Throws: `QueryError` with everything that is wrong with the text (rule 7.1).
    public init(_ source: String, options: QueryOptions = []) throws(QueryError) {
        let compiled = Compiler.compile(ParsedQuery(parsing: source), options: options)
        storage = Storage(try compiled.get(), source: source, options: options)
    }

    /// A query whose program was made of another one's.
    init(_ program: Program, of query: Query) {
        storage = Storage(program, source: query.source, options: query.options)
    }

    /// The query's text.
    public var source: String { storage.source }

    /// The options it was compiled with.
    public var options: QueryOptions { storage.options }

    /// What every result of this query is.
    public var resultKind: ResultKind { program.resultKind }

    /// The number of arguments that an evaluation takes (rule 6.3).
    public var argumentCount: Int { program.argumentCount }

    var program: Program { storage.program }
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

        init(_ program: Program, source: String, options: QueryOptions) {
            self.program = program
            self.source = source
            self.options = options
            probe = Probe(program)
            resultKinds = ResultKinds(program.resultKind)
        }
    }
}

extension Query: Equatable, CustomStringConvertible {
    /// Queries are equal when their texts are, code point by code point, and their options.
    public static func == (left: Query, right: Query) -> Bool {
        left.options == right.options && left.source.utf8.elementsEqual(right.source.utf8)
    }

    public var description: String { source }
}
