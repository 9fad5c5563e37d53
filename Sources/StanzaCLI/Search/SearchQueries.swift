// The queries of `stanza find`: one, or several that run in one pass.

import StanzaQuery

/// The queries of a search, with their arguments.
enum SearchQueries: Sendable {
    /// One query. Its results need no number.
    case one(Query, [QueryArgumentValue])
    /// The queries of `--query`. The number of a query is its place among them, from 1.
    case several(QuerySet)

    /// The results of one query on a stanza.
    struct Answer {
        /// The place of the query, from 0.
        let query: Int
        let results: Result<[QueryValue<Element>], QueryError>
    }

    /// Compiles the query of an argument.
    init(_ text: String, arguments: [String], options: QueryOptions) throws(QueryError) {
        let query = try Query(text, options: options)
        let values = query.arguments(from: arguments)
        try query.checkArguments(values)
        self = .one(query, values)
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

    /// Some of these have to be in a stanza with a result.
    var prefilters: [QueryPrefilter] {
        switch self {
        case .one(let query, _): [query.prefilter]
        case .several(let set): set.ids.compactMap { set[$0]?.query.prefilter }
        }
    }

    /// How many queries have numbers.
    var numbered: Int {
        switch self {
        case .one: 0
        case .several(let set): set.count
        }
    }

    /// Evaluates the queries on a stanza.
    ///
    /// - Parameter onlyFirst: Whether the first result of the first query that has one is enough.
    /// - Returns: Nothing for queries without results.
    func answers(on stanza: Element, onlyFirst: Bool) -> [Answer] {
        switch self {
        case .one(let query, let arguments):
            // Most stanzas have no result, and cost no allocation here.
            if stanza.rulesOut(query, argumentCount: arguments.count) { return [] }
            let answer = Answer(query: 0) { () throws(QueryError) in
                onlyFirst
                    ? try stanza.findFirst(query, arguments: arguments).map { [$0] } ?? []
                    : try stanza.find(query, arguments: arguments)
            }
            return answer.isEmpty ? [] : [answer]
        case .several(let set):
            let matches = set.matches(stanza)
            let failures = matches.failures.map { Answer(query: $0.id.index, results: .failure($0.error)) }
            return failures
                + matches.prefix(onlyFirst ? 1 : matches.count).map { id in
                    Answer(query: id.index) { () throws(QueryError) in
                        onlyFirst
                            ? try set.findFirst(id, in: stanza).map { [$0] } ?? [] : try set.find(id, in: stanza)
                    }
                }
        }
    }
}

extension SearchQueries.Answer {
    fileprivate init(query: Int, _ find: () throws(QueryError) -> [QueryValue<Element>]) {
        self.query = query
        results = Result(catching: find)
    }

    fileprivate var isEmpty: Bool { if case .success(let results) = results { results.isEmpty } else { false } }
}
