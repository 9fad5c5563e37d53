// Checks that a program is one that the machine can run without checking anything itself.
//
// Reads the instruction set's definitions. Debug builds verify every program that the compiler makes.

import XMLTree

/// Proves stack depth, addresses and operands of a program.
enum Verifier {
    /// What is wrong with a program, and where.
    struct Fault: Error, Equatable {
        enum Problem: Equatable {
            /// The program does not end with a yield, or goes on behind one.
            case misplacedEnd
            /// An instruction takes a cursor or value that is not there, or leaves a value behind.
            case stackDepth
            /// The named step below is not the one that pushed the cursor below.
            case outerStep
            /// An operand names a constant that the program does not have.
            case operand(Operand)
        }

        let address: Int
        let problem: Problem
    }

    /// The first fault of a program; `nil` for a good one.
    static func firstFault(in program: Program) -> Fault? {
        var steps: [Address] = []
        var values = 0
        for (address, instruction) in program.listing.enumerated() {
            let definition = instruction.definition
            let effect = definition.effect
            func fault(_ problem: Fault.Problem) -> Fault { Fault(address: address, problem: problem) }
            if effect.isLast != (address == program.instructionCount - 1) { return fault(.misplacedEnd) }
            // A value is consumed by the instruction behind the one that loaded it.
            if values != effect.values.needed || steps.count < effect.cursors.needed { return fault(.stackDepth) }
            values += effect.values.change
            if effect == .leave { steps.removeLast() }
            for operand in definition.operands {
                if case .outer(let outer) = operand, outer != steps.last { return fault(.outerStep) }
                if !program.holds(operand) { return fault(.operand(operand)) }
            }
            if effect == .step { steps.append(Address(rawValue: UInt32(address))) }
        }
        return program.instructionCount == 0 ? Fault(address: 0, problem: .misplacedEnd) : nil
    }
}

extension Program {
    /// Whether an operand names something that exists.
    fileprivate func holds(_ operand: Operand) -> Bool {
        switch operand {
        case .name, .conversion, .outer: true
        case .string(let index): Int(index.rawValue) < stringByteCount
        case .strings(let index): Int(index.rawValue) < stringLists.count
        case .pattern(let index): Int(index.rawValue) < patterns.count
        case .argument(let index): Int(index.rawValue) < templates.count
        case .attribute(let index): Int(index.rawValue) < attributes.count
        case .form(let index): Int(index.rawValue) < forms.count
        }
    }
}
