// A compiled query with slots: one program for all values that they may be bound to.

import QuerySyntax
import XMLTree

/// A compiled query without the values of its slots.
@usableFromInline
final class QueryTemplate: Sendable {
    /// Do not evaluate it before its names are bound.
    @usableFromInline let query: Program
    private let uses: [SlotUse]
    /// Whether all slots are for values of filters.
    private let hasOnlyValues: Bool

    init(_ text: QueryText, options: QueryOptions = []) throws(QueryError) {
        let (parts, slots) = try Compiler.compile(ParsedQuery(parsing: text), options: options)
        query = Program(parts, source: text.source, options: options, slots: text.slots)
        uses = slots
        hasOnlyValues = slots.allSatisfy { $0.value != nil }
    }

    /// A query without slots, or one that throws an error when it is evaluated.
    init(_ query: Program) {
        self.query = query
        uses = []
        hasOnlyValues = true
    }

    /// A template whose queries throw an error when they are evaluated.
    @usableFromInline
    convenience init(failing error: QueryError) {
        self.init(Program(failing: error))
    }

    /// Compiles a text. The queries of an invalid one throw its error when they are evaluated.
    static func compiled(_ text: QueryText, options: QueryOptions = []) -> QueryTemplate {
        do throws(QueryError) {
            return try QueryTemplate(text, options: options)
        } catch {
            return QueryTemplate(failing: error)
        }
    }

    /// The query with its names bound, and the arguments that it takes then: the values of its filters.
    ///
    /// - Parameter values: One for each slot.
    @usableFromInline
    func binding(_ values: [QueryArgumentValue]) -> (query: Program, arguments: [QueryArgumentValue]) {
        if query.error != nil { return (query, []) }
        precondition(values.count == query.slots.count, "every slot has a value")
        if hasOnlyValues { return (query, values) }
        var parts = query.parts
        query.source.withBytes { parts.bind(uses, to: NameReader(text: $0, slotValues: values.map(\.description))) }
        return (query.with(parts, slotValues: values), uses.compactMap(\.value).map { values[$0] })
    }

    /// The query with all values bound: it takes no arguments.
    ///
    /// - Throws: nothing, as every value fits every slot.
    func query(binding values: [QueryArgumentValue]) throws(QueryError) -> Program {
        let (named, arguments) = binding(values)
        return try arguments.isEmpty ? named : named.binding(arguments, slotValues: values)
    }
}
