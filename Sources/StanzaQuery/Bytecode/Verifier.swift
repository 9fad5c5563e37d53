// Checks that the machine can run a program without checking anything itself.
//
// Reads the instruction set's definitions. Debug builds verify every program that the compiler makes.

import XMLTree

/// Proves stack depth, addresses and operands of a program.
enum Verifier {
    /// A fault of a program, and its address.
    struct Fault: Error, Equatable {
        enum Problem: Equatable {
            /// The program does not end with a yield, or continues after one.
            case misplacedEnd
            /// An instruction takes a missing cursor or value, or leaves a value over.
            case stackDepth
            /// The named step below is not the one that pushed the cursor below.
            case outerStep
            /// An operand names a constant that the program does not have.
            case operand(Operand)
        }

        let address: Int
        let problem: Problem
    }

    /// The first fault of a program; `nil` for a valid one.
    static func firstFault(in program: Program) -> Fault? {
        let constants = KnownConstants(program)
        var steps: [Address] = []
        var values = 0
        for (address, instruction) in program.listing.enumerated() {
            let definition = instruction.definition
            let effect = definition.effect
            func fault(_ problem: Fault.Problem) -> Fault { Fault(address: address, problem: problem) }
            if effect.isLast != (address == program.instructionCount - 1) { return fault(.misplacedEnd) }
            // The instruction after the one that loads a value consumes it.
            if values != effect.values.needed || !effect.cursors.contains(steps.count) { return fault(.stackDepth) }
            values += effect.values.change
            if effect == .leave { steps.removeLast() }
            for operand in definition.operands {
                if case .outer(let outer) = operand, outer != steps.last { return fault(.outerStep) }
                if !constants.contain(operand) { return fault(.operand(operand)) }
            }
            if effect == .step { steps.append(Address(rawValue: UInt32(address))) }
        }
        return program.instructionCount == 0 ? Fault(address: 0, problem: .misplacedEnd) : nil
    }
}

/// Decides whether operands name constants that exist and are of the kind that their instruction takes.
private struct KnownConstants {
    private let program: Program
    private let values: [Slice<UnsafeBufferPointer<ValueStep>>]
    /// Where strings begin.
    private let strings: Set<StringIndex>

    init(_ program: Program) {
        self.program = program
        values = program.values
        var strings: Set<StringIndex> = []
        var start = 0
        while start < program.stringByteCount {
            let index = StringIndex(rawValue: UInt32(start))
            strings.insert(index)
            let string = program.string(index)
            start += LengthPrefix.size(of: string.count) + string.count
        }
        self.strings = strings
    }

    func contain(_ operand: Operand) -> Bool {
        switch operand {
        case .name, .conversion, .outer: return true
        case .string(let index): return strings.contains(index)
        case .strings(let index):
            return program.stringLists.element(index.rawValue)?.allSatisfy(strings.contains) ?? false
        case .regex(let index):
            if case .regex? = program.patterns.element(index.rawValue)?.work { return true }
            return false
        case .literal(let index):
            if case .literal(let string)? = program.patterns.element(index.rawValue)?.work {
                return strings.contains(string)
            }
            return false
        case .argument(let index): return hasValue(index)
        case .attribute(let index): return program.attributes.element(index.rawValue) != nil
        case .form(let index): return hasForm(index)
        case .formField(let index): return hasForm(index) && program.forms.element(index.rawValue)?.field != nil
        }
    }

    private func hasValue(_ index: ArgumentIndex) -> Bool {
        guard index.rawValue < program.valueCount else { return false }
        return values[Int(index.rawValue)].allSatisfy {
            if case .text(let string) = $0 { strings.contains(string) } else { true }
        }
    }

    private func hasForm(_ index: FormIndex) -> Bool {
        guard let form = program.forms.element(index.rawValue) else { return false }
        return [form.formType, form.type, form.field].allSatisfy { $0.map(strings.contains) ?? true }
    }
}

extension Array {
    /// The element at an index; `nil` beyond the end.
    fileprivate func element(_ index: UInt32) -> Element? { index < count ? self[Int(index)] : nil }
}
