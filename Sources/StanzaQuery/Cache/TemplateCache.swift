// Keeps compiled queries with slots, so that a literal with interpolations is compiled once.
//
// What is kept follows from the program's text and not from values: a bounded number, which is more than programs have.

import QuerySyntax

/// The compiled queries with slots of this process.
enum TemplateCache {
    private struct Key: Hashable {
        let text: QueryText
        let options: QueryOptions
    }

    /// What is kept at most. A program that makes literals without end begins anew.
    static let capacity = 1024

    private static let templates = Lock<[Key: QueryTemplate]>([:])

    /// How many are kept.
    static var count: Int { templates.withLock { $0.count } }

    fileprivate static func template(_ text: QueryText, _ options: QueryOptions) throws(QueryError) -> QueryTemplate {
        let key = Key(text: text, options: options)
        if let known = templates.withLock({ $0[key] }) { return known }
        let template = try QueryTemplate(text, options: options)
        templates.withLock { templates in
            if templates.count == capacity { templates.removeAll(keepingCapacity: true) }
            templates[key] = template
        }
        return template
    }
}

extension QueryTemplate {
    /// The compiled form of a text, kept for the next time. Mistakes are not kept.
    init(cached text: QueryText, options: QueryOptions = []) throws(QueryError) {
        self = try TemplateCache.template(text, options)
    }
}
