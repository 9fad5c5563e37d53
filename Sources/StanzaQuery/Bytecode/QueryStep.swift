// The steps of a query, between its syntax tree and its program: moves to other elements, tests, and the result.
//
// Compiler.swift makes them of the tree, once. The program's instructions are written from them, sets read them as the
// edges of their trie, prefilters as requirements, and listings find the names and places of instructions in them.

import QuerySyntax
import XMLTree

/// One step of a query. Its operands are constants of the program.
package struct QueryStep: Sendable {
    enum Action: Sendable {
        /// The children with a name or namespace, or the same test of the element itself.
        case element(NamedTest, NameKey)
        case anyChild
        case anyChildInNamespace
        case isNotNamed(NameKey)
        /// To the parent: pops the cursor of the last step down, or moves the context's cursor if it is the only one.
        case ascend
        /// An attribute has a value that passes an instruction's test.
        case filter(test: Instruction, of: AttributeSource)
        /// Reads an attribute for the result.
        case load(AttributeSource)
        /// Any other instruction: it has neither a name nor an address.
        case other(Instruction)
    }

    var action: Action
    /// The action's name as the query has it. None for a name that was bound to a slot.
    package let name: NameIndex
    private let start: UInt32
    private let end: UInt32

    init(_ action: Action, name: NameIndex, range: SourceRange) {
        self.action = action
        self.name = name
        start = UInt32(clamping: range.lowerBound)
        end = UInt32(clamping: range.upperBound)
    }

    /// The part of the query that the step comes from.
    package var range: SourceRange { Int(start)..<Int(end) }
}

/// A name among the names of a program, not among its strings. Each consists of two strings: the namespace or the
/// prefix with its sign, and the local name.
package struct NameIndex: Equatable, BitwiseCopyable {
    package let rawValue: UInt32

    package static var none: NameIndex { NameIndex(rawValue: 0) }
}

/// The tests that compare the name or the namespace of an element with a key.
package enum NamedTest: UInt16, BitwiseCopyable {
    /// A child of that name and namespace.
    case child
    /// A child of that name in the namespace of the element.
    case childInherited
    case childAnywhere
    case childInNamespace
    /// The element itself has that name and namespace.
    case own
    /// The element's name, in the namespace of its parent; of a root in any.
    case ownInherited
    case ownAnywhere
    case ownNamespace

    var isChild: Bool { rawValue < Self.own.rawValue }
}

extension Collection<QueryStep> {
    /// The instructions of these steps, one or two for each.
    var instructions: [Instruction] { InstructionWriter(self).instructions }
}

/// Writes the instructions of steps.
struct InstructionWriter {
    private(set) var instructions: [Instruction] = []
    /// The first step that only a machine can run, with all steps after it. The trie of a set follows those before.
    private(set) var firstMachineStep = Int.max
    private var step = 0
    /// The steps whose cursors are on the stack, apart from the context's, with their instructions.
    private var cursors: [(step: Int, address: Address)] = []

    init(_ steps: some Collection<QueryStep>) {
        instructions.reserveCapacity(steps.count)
        for step in steps {
            write(step.action)
            self.step += 1
        }
    }

    private var outer: Address? { cursors.last?.address }

    private mutating func write(_ action: QueryStep.Action) {
        switch action {
        case .element(.child, let name): push(.childrenNamed(name, outer: outer))
        case .element(.childInherited, let name): push(.childrenNamedInherited(name, outer: outer))
        case .element(.childAnywhere, let name): push(.childrenNamedAnywhere(name, outer: outer))
        case .element(.childInNamespace, let name): push(.childrenInNamespace(name, outer: outer))
        case .element(.own, let name): instructions.append(.isNamed(name))
        case .element(.ownInherited, let name): instructions.append(.isNamedInherited(name))
        case .element(.ownAnywhere, let name): instructions.append(.isNamedAnywhere(name))
        case .element(.ownNamespace, let name): instructions.append(.isInNamespace(name))
        case .anyChild: push(.childrenAll(outer: outer))
        case .anyChildInNamespace: push(.childrenInInherited(outer: outer))
        case .isNotNamed(let name): instructions.append(.isNotNamed(name))
        case .ascend:
            let left = cursors.popLast()
            // A step and its `..` belong to one machine: the step's other candidates are dropped with the cursor.
            firstMachineStep = min(firstMachineStep, left?.step ?? step)
            instructions.append(left == nil ? .ascend : .leave(outer: outer))
        // One instruction each for the common filters.
        case .filter(.drop, .plain(let name)): instructions.append(.hasAttribute(name))
        case .filter(.equals(let text), .plain(let name)): instructions.append(.attributeEquals(name, text))
        case .filter(.equalsArgument(let argument), .plain(let name)):
            instructions.append(.attributeEqualsArgument(name, argument))
        case .filter(let test, let source):
            instructions.append(source.load)
            instructions.append(test)
        case .load(let source): instructions.append(source.load)
        case .other(let instruction):
            // The step before loads the value. A machine runs both: the element has no result if the value does not
            // convert.
            if case .yieldConverted(let conversion, let isStrict) = instruction,
                !conversion.isTotal(isStrict: isStrict)
            {
                firstMachineStep = min(firstMachineStep, step - 1)
            }
            instructions.append(instruction)
        }
    }

    private mutating func push(_ step: Instruction) {
        cursors.append((self.step, Address(rawValue: UInt32(instructions.count))))
        instructions.append(step)
    }
}
