// Keeps compiled queries with slots, so that a literal with interpolations is compiled once.
//
// What is kept follows from the program's text and not from values: a bounded number, which is more than programs have.
// Interpolations are put together at run time, and are found by their text, under a lock. What `#query` writes where it
// can have no storage has an address, and is found by that, without one (LiteralTable.swift).

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

    private static let literals = LiteralTable<QueryTemplate>()

    /// How many are kept by their text, for tests.
    static var count: Int { templates.withLock { $0.count } }

    /// The compiled form of a text, kept for the next time. Mistakes are not kept.
    static func template(_ text: QueryText, options: QueryOptions = []) throws(QueryError) -> QueryTemplate {
        let key = Key(text: text, options: options)
        if let known = templates.withLock({ $0[key] }) { return known }
        let template = try QueryTemplate(text, options: options)
        templates.withLock { templates in
            if templates.count == capacity { templates.removeAll(keepingCapacity: true) }
            templates[key] = template
        }
        return template
    }

    /// The compiled form of a text in the program, kept for good. See `QueryText.init(encoded:)`.
    static func template(_ literal: StaticString) throws(QueryError) -> QueryTemplate {
        if let known = literals[literal] { return known.takeUnretainedValue() }
        let template = try QueryTemplate(QueryText(encoded: literal))
        return literals.insert(template, for: literal).takeUnretainedValue()
    }
}
