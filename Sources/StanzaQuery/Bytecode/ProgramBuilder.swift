// Collects instructions and constants during the compilation of a query.
//
// It knows the layout of programs, and the pieces of a syntax tree that become operands. Compiler.swift decides the
// order.

import QuerySyntax
import XMLTree

/// An unfinished program.
struct ProgramBuilder {
    private(set) var instructions: [Instruction] = []
    /// Offset 0 is the empty string.
    private(set) var strings: [UInt8] = [0]
    private(set) var stringLists: [[StringIndex]] = []
    private(set) var patterns: [PatternConstant] = []
    private(set) var attributes: [ResolvedAttribute] = []
    private(set) var forms: [FormConstant] = []
    private(set) var valueSteps: [ValueStep] = []
    private(set) var valueCount = 0
    /// The places that need the values of slots.
    private(set) var slotUses: SlotUses?
    /// The part of the query that each instruction comes from.
    private(set) var ranges: [SourceRange] = []
    /// The part of the query that the compiler is at.
    var range: SourceRange = 0..<0

    /// Adds an instruction and returns its address.
    @discardableResult
    mutating func emit(_ instruction: Instruction) -> Address {
        instructions.append(instruction)
        ranges.append(range)
        return Address(rawValue: UInt32(instructions.count - 1))
    }

    /// Adds an instruction that looks for a name and a namespace of which either may be a slot.
    @discardableResult
    mutating func emit(_ instruction: Instruction, binding test: ElementTest) -> Address {
        let address = emit(instruction)
        if test.hasSlots { note { $0.elements.append((address, test)) } }
        return address
    }

    /// Adds an instruction that loads an attribute whose name has slots.
    mutating func emit(_ instruction: Instruction, binding name: AttributeName) {
        let address = emit(instruction)
        note { $0.attributes.append((address, name)) }
    }

    private mutating func note(_ use: (inout SlotUses) -> Void) {
        var uses = slotUses ?? SlotUses()
        use(&uses)
        slotUses = uses
    }

    mutating func string(_ text: some Collection<UInt8>) -> StringIndex { Self.append(text, to: &strings) }

    /// Appends a text, preceded by its length, to a block of strings.
    static func append(_ text: some Collection<UInt8>, to strings: inout [UInt8]) -> StringIndex {
        if text.isEmpty { return StringIndex(rawValue: 0) }
        let start = strings.count
        strings.append(contentsOf: repeatElement(0, count: LengthPrefix.size(of: text.count)))
        strings.withUnsafeMutableBufferPointer { strings in
            if let base = strings.baseAddress { _ = LengthPrefix.write(text.count, to: base + start) }
        }
        strings.append(contentsOf: text)
        return StringIndex(rawValue: UInt32(start))
    }

    mutating func string(_ text: String) -> StringIndex { string(text.utf8) }

    mutating func stringList(_ list: [StringIndex]) -> StringListIndex {
        stringLists.append(list)
        return StringListIndex(rawValue: UInt32(stringLists.count - 1))
    }

    mutating func pattern(_ pattern: PatternConstant) -> PatternIndex {
        patterns.append(pattern)
        return PatternIndex(rawValue: UInt32(patterns.count - 1))
    }

    mutating func attribute(_ attribute: ResolvedAttribute) -> AttributeIndex {
        attributes.append(attribute)
        return AttributeIndex(rawValue: UInt32(attributes.count - 1))
    }

    /// - Parameter slot: The slot of the field's name.
    mutating func form(_ form: FormConstant, field slot: Slot? = nil) -> FormIndex {
        forms.append(form)
        let index = FormIndex(rawValue: UInt32(forms.count - 1))
        if let slot { note { $0.fields.append((index, slot)) } }
        return index
    }

    /// Adds a value with specifiers or slots.
    mutating func value(_ parts: [ValuePart]) -> ArgumentIndex {
        for part in parts {
            switch part {
            case .text(let text): valueSteps.append(.text(string(text)))
            case .specifier(let specifier):
                valueSteps.append(specifier.isPlain ? .argument(specifier) : .formatted(specifier))
            case .slot(let slot):
                valueSteps.append(.argument(FormatSpecifier(.any, range: slot.range)))
                note { $0.values.append(slot) }
            }
        }
        valueSteps.append(.end)
        valueCount += 1
        return ArgumentIndex(rawValue: UInt32(valueCount - 1))
    }
}
