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
    let program: Program
    /// The query's text.
    public let source: String
    /// The options it was compiled with.
    public let options: QueryOptions

    /// Compiles a query. Linear in the length of the text.
    ///
    /// - Throws: `QueryError` with everything that is wrong with the text (rule 7.1).
    public init(_ source: String, options: QueryOptions = []) throws(QueryError) {
        let compiled = Compiler.compile(ParsedQuery(parsing: source), options: options)
        program = try compiled.get()
        self.source = source
        self.options = options
    }

    /// What every result of this query is.
    public var resultKind: ResultKind { program.resultKind }

    /// The number of arguments that an evaluation takes (rule 6.3).
    public var argumentCount: Int { program.argumentCount }
}

extension Query: Equatable, CustomStringConvertible {
    /// Queries are equal when their texts are, code point by code point, and their options.
    public static func == (left: Query, right: Query) -> Bool {
        left.options == right.options && left.source.utf8.elementsEqual(right.source.utf8)
    }

    public var description: String { source }
}
