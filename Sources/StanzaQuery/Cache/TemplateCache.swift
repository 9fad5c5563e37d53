// Keeps compiled queries with slots, so that a literal with interpolations is compiled once.
//
// The entries follow from the program's text and not from values. Their number is bounded, and larger than programs
// need. Interpolations are assembled at run time, so the cache finds them by their text, under a lock. Where `#query`
// can have no storage, its code has an address, and the cache finds it by that, without a lock (LiteralTable.swift).

import QuerySyntax

/// The compiled queries with slots of this process.
enum TemplateCache {
    private struct Key: Hashable {
        let text: QueryText
        let options: QueryOptions
    }

    /// The maximum number of entries. A program that makes literals without end begins with an empty cache again.
    static let capacity = 1024

    private static let templates = Lock<[Key: QueryTemplate]>([:])

    private static let literals = LiteralTable<QueryTemplate>()

    /// The number of entries by text, for tests.
    static var count: Int { templates.withLock { $0.count } }

    /// The compiled form of a text, stored for the next time. This form stores no errors.
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

    /// The compiled form of a text in the program, or its error, stored for good. See `QueryText.init(encoded:)`.
    static func template(_ literal: StaticString) -> QueryTemplate {
        if let known = literals[literal] { return known.takeUnretainedValue() }
        return literals.insert(.compiled(QueryText(encoded: literal)), for: literal).takeUnretainedValue()
    }
}
