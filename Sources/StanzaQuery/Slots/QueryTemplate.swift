// A compiled query with slots: one program for all values that they may be bound to.

import QuerySyntax
import XMLTree

/// A compiled query without the values of its slots.
final class QueryTemplate: Sendable {
    /// Do not evaluate it before its names are bound.
    let query: CompiledQuery
    private let uses: [SlotUse]
    /// Whether all slots are for values of filters.
    private let hasOnlyValues: Bool

    init(_ text: QueryText, options: QueryOptions = []) throws(QueryError) {
        var slots: [SlotUse] = []
        let program = try Compiler.compile(ParsedQuery(parsing: text), options: options, slots: &slots).get()
        query = CompiledQuery(program, source: text.source, options: options, slots: text.slots)
        uses = slots
        hasOnlyValues = slots.allSatisfy { $0.value != nil }
    }

    /// A query without slots, or one that throws an error when it is evaluated.
    init(_ query: CompiledQuery) {
        self.query = query
        uses = []
        hasOnlyValues = true
    }

    /// A template whose queries throw an error when they are evaluated.
    convenience init(failing error: QueryError) {
        self.init(CompiledQuery(failing: error))
    }

    /// Compiles a text. The queries of an invalid one throw its error when they are evaluated.
    static func compiled(_ text: QueryText) -> QueryTemplate {
        do throws(QueryError) { return try QueryTemplate(text) } catch { return QueryTemplate(failing: error) }
    }

    /// The query with its names bound, and the arguments that it takes then: the values of its filters.
    ///
    /// - Parameter values: One for each slot.
    func binding(_ values: [QueryArgumentValue]) -> (query: CompiledQuery, arguments: [QueryArgumentValue]) {
        if query.error != nil { return (query, CompiledQuery.failingArguments) }
        precondition(values.count == query.slots.count, "every slot has a value")
        if hasOnlyValues { return (query, values) }
        let program = query.program.binding(uses, to: values.map(\.description))
        return (
            CompiledQuery(program, of: query, slotValues: values),
            uses.compactMap(\.value).map { values[$0.index] }
        )
    }

    /// The query with all values bound: it takes no arguments.
    ///
    /// - Throws: nothing, as every value fits every slot.
    func query(binding values: [QueryArgumentValue]) throws(QueryError) -> CompiledQuery {
        let (named, arguments) = binding(values)
        return try arguments.isEmpty ? named : named.binding(arguments, slotValues: values)
    }
}
