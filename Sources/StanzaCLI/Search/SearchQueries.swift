// The queries of `stanza find`: one, or several that run in one pass.

import QueryTools
import StanzaQuery

/// The queries of a search, with their arguments.
enum SearchQueries: Sendable {
    /// One query with its arguments. Its results need no number.
    case one(Query<QueryValue>)
    /// The queries of `--query`. The number of a query is its place among them, from 1.
    case several(QuerySet)

    /// Compiles the query of an argument.
    init(_ text: String, arguments: [String], options: QueryOptions) throws(QueryError) {
        let query = try Query(text, options: options)
        self = .one(try query.binding(arguments: query.arguments(from: arguments)))
    }

    /// Compiles the queries of `--query`. Each takes as many of the arguments as it has specifiers, in order.
    init(_ texts: [String], arguments: [String], options: QueryOptions) throws(QueryError) {
        var set = QuerySet()
        var rest = arguments[...]
        for (index, text) in texts.enumerated() {
            let query = try Query(text, options: options)
            // An argument too many is a mistake of the last query.
            let own = index == texts.count - 1 ? rest : rest.prefix(query.specifiers.count)
            rest = rest.dropFirst(own.count)
            try set.insert(query, arguments: query.arguments(from: Array(own)))
        }
        self = .several(set)
    }

    /// Each literal costs a search of all bytes: in a stream without results, the filters of 12 queries are half as
    /// fast again as parsing, those of 16 a little faster than it, and those of 20 slower.
    static let mostPrefilters = 16

    /// A stanza with a result passes one of these; empty if each stanza has to be parsed.
    var prefilters: [QueryPrefilter] {
        switch self {
        case .one(let query): [query.prefilter]
        case .several(let set):
            set.count > Self.mostPrefilters ? [] : set.ids.compactMap { set[$0]?.query.prefilter }
        }
    }

    /// The prefilters of the first queries, if a stanza matters only with a result of one of them.
    func prefilters(ofFirst count: Int) -> [QueryPrefilter] {
        count == 0 || count == numbered ? prefilters : Array(prefilters.prefix(count))
    }

    /// How many queries have numbers.
    var numbered: Int {
        switch self {
        case .one: 0
        case .several(let set): set.count
        }
    }

    /// Evaluates several queries on a stanza, each up to its first result. Queries without a result are passed over.
    func firstResults(on stanza: Element, _ take: (_ query: Int, Result<QueryValue, QueryError>) -> Void) {
        guard case .several(let set) = self else { return }
        let matches = set.matches(stanza)
        for failure in matches.failures { take(failure.id.index, .failure(failure.error)) }
        for id in matches {
            guard let query = set[id]?.query else { continue }
            do throws(QueryError) {
                if let value = try stanza.findFirst(query) { take(id.index, .success(value)) }
            } catch {
                take(id.index, .failure(error))
            }
        }
    }

    /// Evaluates the queries on a stanza, one after the other.
    ///
    /// - Parameters:
    ///   - onlyFirst: Whether the first result of the first query that has one is enough.
    ///   - take: Gets the place of each query that has results or fails, from 0, and returns whether to continue.
    func evaluate(
        _ stanza: Element, onlyFirst: Bool,
        _ take: (_ query: Int, Result<[QueryValue], QueryError>) -> Bool
    ) {
        func results(of query: Query<QueryValue>) -> Result<[QueryValue], QueryError> {
            Result { () throws(QueryError) in
                onlyFirst ? try stanza.findFirst(query).map { [$0] } ?? [] : try stanza.find(query)
            }
        }
        switch self {
        case .one(let query):
            // Most stanzas have no result, and cost no allocation here.
            let results = results(of: query)
            if case .success(let results) = results, results.isEmpty { return }
            _ = take(0, results)
        case .several(let set):
            let matches = set.matches(stanza)
            for failure in matches.failures {
                if onlyFirst, let first = matches.first, first.index < failure.id.index { break }
                if !take(failure.id.index, .failure(failure.error)) { return }
            }
            for id in matches.prefix(onlyFirst ? 1 : matches.count) {
                guard let query = set[id]?.query else { continue }
                if !take(id.index, results(of: query)) { return }
            }
        }
    }
}
