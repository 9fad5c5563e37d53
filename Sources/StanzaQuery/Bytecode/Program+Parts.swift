// Programs made of others: with arguments for constants, or only a part of one.

import XMLTree

extension Program {
    /// The steps from one on, for a machine whose context is the top cursor's element at that step. No `..`
    /// among them may leave a step before it.
    func tail(from start: Int) -> Program { start == 0 ? self : Program(steps[start...].instructions, of: self) }

    /// A program that yields if one step, a filter, holds.
    func filter(at step: Int) -> Program { Program([steps[step]].instructions + [.yieldElement], of: self) }

    /// The same with the values that arguments give as constants.
    func binding(_ values: ArgumentValues) -> Program {
        var strings = Array(UnsafeBufferPointer(start: self.strings, count: stringByteCount))
        var steps = steps
        for index in steps.indices {
            guard case .filter(let test, let source) = steps[index].action else { continue }
            switch test {
            case .equalsArgument(let argument) where source == .namespace && !values[argument].isEmpty:
                steps[index].action = .element(.ownNamespace, NameKey(.namespace, values[argument]))
            case .equalsArgument(let argument):
                let text = ProgramBuilder.append(values[argument], to: &strings)
                steps[index].action = .filter(test: .equals(text), of: source)
            case .equalsArgumentIgnoringCase(let argument):
                let text = ProgramBuilder.append(values[argument], to: &strings)
                steps[index].action = .filter(test: .equalsIgnoringCase(text), of: source)
            default: break
            }
        }
        return Program(steps.instructions, of: self, steps: steps, strings: strings)
    }
}
