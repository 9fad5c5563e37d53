// The places in a program that need the values of slots, and the programs with these values.
//
// Values of filters are the program's arguments. Names and namespaces are keys in the steps, and names of form fields
// are strings among the constants: binding them copies the steps, and compiles nothing.

import QuerySyntax
import XMLTree

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
            case .element(let step, let test): steps[step].step.key = reader.key(of: test)
            case .attribute(let step, let name):
                (steps[step].step.source, steps[step].step.key) = source(of: name, reader)
            case .field(let form, let slot):
                constants.forms[form].field = ByteReference(rawValue: string(reader.slotValues[slot].utf8))
            }
        }
    }

    /// Puts the values that arguments give in the places of the arguments.
    mutating func bind(_ arguments: ArgumentValues) {
        for index in steps.indices where steps[index].step.takesArgument {
            let step = steps[index].step
            let value = arguments[Int(step.operand)]
            if step.source == .namespace, !step.ignoresCase, !value.isEmpty {
                steps[index].step = .own(.namespace, NameKey(.namespace, value))
            } else {
                steps[index].step = .filter(
                    .equals, of: step.source, step.key, operand: string(value), ignoringCase: step.ignoresCase)
            }
        }
        values = []
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
