// Programs made of others: with arguments for constants, or only a part of one.

import XMLTree

extension Program {
    /// The instructions from an address on, for a machine whose context is the top cursor's element at that address. No
    /// `leave` among them may take a cursor that was pushed before.
    func tail(from start: Int) -> Program {
        if start == 0 { return self }
        return Program(partOf: self, instructions: listing[start...].map { $0.moved(by: start) })
    }

    /// A program that yields if the filter at an address, which loads a value and tests it, holds.
    func filter(at address: Int) -> Program {
        Program(partOf: self, instructions: [listing[address], listing[address + 1], .yieldElement])
    }

    /// The same with the values that arguments give as constants.
    func binding(_ values: ArgumentValues) -> Program {
        var strings = Array(UnsafeBufferPointer(start: self.strings, count: stringByteCount))
        func string(_ argument: ArgumentIndex) -> StringIndex {
            ProgramBuilder.append(values[argument], to: &strings)
        }
        let instructions = listing.map { instruction -> Instruction in
            switch instruction {
            case .attributeEqualsArgument(let name, let argument): .attributeEquals(name, string(argument))
            case .equalsArgument(let argument): .equals(string(argument))
            case .equalsArgumentIgnoringCase(let argument): .equalsIgnoringCase(string(argument))
            default: instruction
            }
        }
        return Program(partOf: self, instructions: instructions, strings: strings)
    }
}

extension Instruction {
    /// The instruction at an address that is lower by `distance`. Steps before the beginning are none.
    fileprivate func moved(by distance: Int) -> Instruction {
        func moved(_ outer: Address?) -> Address? {
            guard let outer, outer.rawValue >= distance else { return nil }
            return Address(rawValue: outer.rawValue - UInt32(distance))
        }
        return switch self {
        case .childrenNamed(let name, let outer): .childrenNamed(name, outer: moved(outer))
        case .childrenNamedInherited(let name, let outer): .childrenNamedInherited(name, outer: moved(outer))
        case .childrenNamedAnywhere(let name, let outer): .childrenNamedAnywhere(name, outer: moved(outer))
        case .childrenInNamespace(let namespace, let outer): .childrenInNamespace(namespace, outer: moved(outer))
        case .childrenInInherited(let outer): .childrenInInherited(outer: moved(outer))
        case .childrenAll(let outer): .childrenAll(outer: moved(outer))
        case .leave(let outer): .leave(outer: moved(outer))
        default: self
        }
    }
}
