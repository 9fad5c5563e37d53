// The places in a program that need the values of slots, and the operands made of these values.
//
// Values of filters are the program's arguments. Names and namespaces are keys in the steps, and names of form fields
// are strings among the constants: binding them writes the instructions of the steps again, and compiles nothing.

import QuerySyntax
import XMLTree

/// The place of a slot in a program.
enum SlotUse: Sendable {
    /// The value of a filter: the program's next argument.
    case value(Slot)
    /// A step that looks for elements, with the names and namespaces that it looks for.
    case element(step: Int, ElementTest)
    /// A step that reads an attribute, with the attribute's name.
    case attribute(step: Int, AttributeName)
    /// A form query for a field.
    case field(FormIndex, Slot)

    /// The slot of a filter's value.
    var value: Slot? { if case .value(let slot) = self { slot } else { nil } }
}

extension Program {
    /// The program with names in the places of their slots. It takes the same arguments.
    ///
    /// - Parameter names: The value of each slot, by its index.
    func binding(_ uses: [SlotUse], to names: [String]) -> Program {
        var steps = steps
        var attributes = attributes
        var forms = forms
        var strings: [UInt8]?
        for use in uses {
            switch use {
            case .value: break
            case .element(let step, let test):
                let key = test.binding(names).key
                switch steps[step].action {
                case .element(let kind, _): steps[step].action = .element(kind, key)
                case .isNotNamed: steps[step].action = .isNotNamed(key)
                default: preconditionFailure("the step has no name of an element")
                }
            case .attribute(let step, let name):
                let source = AttributeSource(name.binding(names), &attributes)
                switch steps[step].action {
                case .filter(let test, _): steps[step].action = .filter(test: test, of: source)
                case .load: steps[step].action = .load(source)
                default: preconditionFailure("the step reads no attribute")
                }
            case .field(let form, let slot):
                var longer = strings ?? Array(UnsafeBufferPointer(start: self.strings, count: stringByteCount))
                forms[Int(form.rawValue)].field = ProgramBuilder.append(names[slot.index].utf8, to: &longer)
                strings = longer
            }
        }
        return Program(
            steps.instructions, of: self, steps: steps, strings: strings, attributes: attributes, forms: forms,
            takesArguments: true)
    }
}

// MARK: Names

extension ElementTest {
    /// Whether the name or the namespace is a slot. A slot after `!` is bound in a step of its own.
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
