// A compiled query with slots: one program for all values that they may be bound to, and the places that need them.
//
// Values of filters are the program's arguments. Names and namespaces are keys in the steps, and names of form fields
// are strings among the constants: binding them copies the steps, and compiles nothing.

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
        (query, uses) = try Compiler.compile(text.source, slots: text.slots, options.compiled, hasSlotsOnly: true)
        hasOnlyValues = uses.allSatisfy { $0.value != nil }
    }

    /// A query without slots, or one that throws an error when it is evaluated.
    init(_ query: Program) {
        self.query = query
        uses = []
        hasOnlyValues = true
    }

    /// A template whose queries throw an error when they are evaluated.
    @usableFromInline
    convenience init(failing error: QueryError) { self.init(Program(failing: error)) }

    /// The query with its names bound, and the arguments that it takes then: the values of its filters.
    ///
    /// - Parameter values: One for each slot.
    @usableFromInline
    func binding(_ values: [QueryArgumentValue]) -> (query: Program, arguments: [QueryArgumentValue]) {
        if query.error != nil { return (query, []) }
        precondition(values.count == query.slots.count, "every slot has a value")
        if hasOnlyValues { return (query, values) }
        var (text, places, room) = (query.source, [] as [SourceRange], query.parts.size)
        for value in values {
            let start = text.utf8.count
            text += value.description
            places.append(start..<text.utf8.count)
        }
        for case .field(_, let slot) in uses { room.addString(places[slot].count) }
        var parts = ProgramParts(copying: query.parts, room: room)
        text.withUTF8 { parts.bind(uses, to: NameReader(text: $0, slotValues: places)) }
        parts.slots = (query.slots, values)
        return (query.with(parts), uses.compactMap(\.value).map { values[$0] })
    }

    /// The query with all values bound: it takes no arguments.
    ///
    /// - Throws: nothing, as every value fits every slot.
    func query(binding values: [QueryArgumentValue]) throws(QueryError) -> Program {
        let (named, arguments) = binding(values)
        return try arguments.isEmpty ? named : named.binding(arguments, slotValues: values)
    }
}

/// The place of a slot in a program.
enum SlotUse: Sendable {
    /// The value of a filter: the program's next argument.
    case value(slot: Int)
    /// A step that looks for elements, with the names and namespaces that it looks for.
    case element(step: Int, ElementTest)
    /// A step that reads an attribute, with the attribute's name.
    case attribute(step: Int, AttributeName)
    /// The number of a form query for a field.
    case field(Int, slot: Int)

    /// The slot of a filter's value.
    var value: Int? { if case .value(let slot) = self { slot } else { nil } }
}

extension ProgramParts {
    /// Puts names in the places of their slots.
    mutating func bind(_ uses: [SlotUse], to reader: NameReader) {
        for use in uses {
            switch use {
            case .value: break
            case .element(let step, let test): steps[step].key = reader.key(of: test)
            case .attribute(let step, let name):
                (steps[step].source, steps[step].key) = source(of: name, reader)
            case .field(let form, let slot):
                constants.forms[form].field = reader.bytes(of: .slot(slot)).map { ByteReference(rawValue: string($0)) }
            }
        }
    }

    /// Puts the values that arguments give in the places of the arguments.
    mutating func bind(_ arguments: ArgumentValues) {
        for index in 0..<size.steps where steps[index].takesArgument {
            let step = steps[index]
            let value = arguments[Int(step.operand)]
            steps[index] =
                step.source == .namespace && !step.ignoresCase && !value.isEmpty
                ? .own(.namespace, NameKey(.namespace, value))
                : .filter(.equals, of: step.source, step.key, operand: string(value), ignoringCase: step.ignoresCase)
        }
    }
}

// MARK: Names

extension ElementTest {
    /// Whether the name or the namespace is a slot. A slot after `!` is bound in a step of its own.
    var hasSlots: Bool {
        switch (name, namespace) {
        case (.named(.slot), _), (_, .named(.slot)): true
        default: false
        }
    }
}
