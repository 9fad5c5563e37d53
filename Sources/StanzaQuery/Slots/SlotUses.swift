// The places in a program that need the values of slots, and the operands made of these values.
//
// Values of filters are the program's arguments. Names and namespaces are keys among the instructions, and names of
// form fields are strings among the constants: binding them copies the instructions, and compiles nothing.

import QuerySyntax
import XMLTree

/// The places of a program's slots.
struct SlotUses: Sendable {
    /// Filter values: the program's arguments, in order.
    var values: [Slot] = []
    /// Instructions that look for elements, each with the names and namespaces that it looks for.
    var elements: [(address: Address, test: ElementTest)] = []
    /// Instructions that load attributes, each with the attribute's name.
    var attributes: [(address: Address, name: AttributeName)] = []
    /// Form queries for a field.
    var fields: [(form: FormIndex, slot: Slot)] = []

    /// Whether every slot is the value of a filter.
    var areValuesOnly: Bool { elements.isEmpty && attributes.isEmpty && fields.isEmpty }
}

/// The difference between a program and its copy with bound names.
struct BoundNames {
    var instructions: [Instruction]
    var attributes: [ResolvedAttribute]
    var forms: [FormConstant]
    /// Those of the program and more; `nil`: those of the program.
    var strings: [UInt8]?

    /// Puts names in the places of their slots.
    ///
    /// - Parameter names: The value of each slot, by its index.
    init(_ program: Program, _ uses: SlotUses, to names: [String]) {
        instructions = Array(program.listing)
        attributes = program.attributes
        forms = program.forms
        for (address, test) in uses.elements {
            let bound = test.binding(names)
            instructions[Int(address.rawValue)].replaceName(by: bound.key)
        }
        for (address, name) in uses.attributes {
            instructions[Int(address.rawValue)] = load(name.binding(names))
        }
        if !uses.fields.isEmpty {
            var strings = Array(UnsafeBufferPointer(start: program.strings, count: program.stringByteCount))
            for (form, slot) in uses.fields {
                forms[Int(form.rawValue)].field = ProgramBuilder.append(names[slot.index].utf8, to: &strings)
            }
            self.strings = strings
        }
    }

    private mutating func load(_ name: AttributeName) -> Instruction {
        switch AttributeSource(name) {
        case .namespace: return .loadNamespace
        case .plain(let key): return .loadAttribute(key)
        case .resolved(let attribute):
            attributes.append(attribute)
            return .loadResolvedAttribute(AttributeIndex(rawValue: UInt32(attributes.count - 1)))
        case nil: preconditionFailure("every slot is bound")
        }
    }
}

// MARK: Names

extension ElementTest {
    /// Whether the name or the namespace is a slot. A slot after `!` is bound by an instruction of its own.
    var hasSlots: Bool {
        switch (name, namespace) {
        case (.slot, _), (_, .slot): true
        default: false
        }
    }

    fileprivate func binding(_ names: [String]) -> ElementTest {
        var test = self
        if case .slot(let slot) = name { test.name = .named(names[slot.index]) }
        if case .slot(let slot) = namespace { test.namespace = .named(names[slot.index]) }
        return test
    }
}

extension AttributeName {
    fileprivate func binding(_ names: [String]) -> AttributeName {
        guard case .slotted(let namespace, let name) = self else { return self }
        let local = name.binding(names)
        return namespace.map { .expanded(namespace: $0.binding(names), name: local) } ?? .qualified(local)
    }
}

extension NamePiece {
    fileprivate func binding(_ names: [String]) -> String {
        switch self {
        case .text(let text): text
        case .slot(let slot): names[slot.index]
        }
    }
}

extension Instruction {
    /// Has an instruction look for another name.
    fileprivate mutating func replaceName(by name: NameKey) {
        switch self {
        case .childrenNamed(_, let outer): self = .childrenNamed(name, outer: outer)
        case .childrenNamedInherited(_, let outer): self = .childrenNamedInherited(name, outer: outer)
        case .childrenNamedAnywhere(_, let outer): self = .childrenNamedAnywhere(name, outer: outer)
        case .childrenInNamespace(_, let outer): self = .childrenInNamespace(name, outer: outer)
        case .isNamed: self = .isNamed(name)
        case .isNamedInherited: self = .isNamedInherited(name)
        case .isNamedAnywhere: self = .isNamedAnywhere(name)
        case .isInNamespace: self = .isInNamespace(name)
        case .isNotNamed: self = .isNotNamed(name)
        default: preconditionFailure("the compiler notes instructions that look for names")
        }
    }
}
