// The steps of a query, between its syntax tree and its program: moves to other elements, tests, and the result.
//
// Compiler.swift makes them of the tree, once. The program's instructions are written from them, sets read them as the
// edges of their trie, prefilters as requirements, and listings find the names and places of instructions in them.

import QuerySyntax
import XMLTree

/// One step of a query. Its operands are constants of the program.
struct QueryStep: Sendable {
    enum Action: Sendable {
        /// The children with a name or namespace, or the same test of the element itself.
        case element(NamedEdge, NameKey)
        case anyChild
        case anyChildInNamespace
        case isNotNamed(NameKey)
        /// Back from the children that the last step down has led to.
        case leave
        /// An attribute has a value that passes an instruction's test.
        case filter(test: Instruction, of: AttributeSource)
        /// Reads an attribute for the result.
        case load(AttributeSource)
        /// Any other instruction: it has neither a name nor an address.
        case other(Instruction)
    }

    var action: Action
    /// The action's name as the query has it, among the names of the program. None for a name that was bound to a slot.
    var name: StringIndex
    private let start: UInt32
    private let end: UInt32

    init(_ action: Action, name: StringIndex, range: SourceRange) {
        self.action = action
        self.name = name
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
    }

    /// The part of the query that the step comes from.
    var range: SourceRange { Int(start)..<Int(end) }
}

extension Collection<QueryStep> {
    /// The instructions of these steps, one or two for each.
    var instructions: [Instruction] { InstructionWriter(self).instructions }
}

/// Writes the instructions of steps.
struct InstructionWriter {
    private(set) var instructions: [Instruction] = []
    /// The first step that the trie of a set cannot follow, wherever the path leads.
    private(set) var pathEnd = Int.max
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
        case .leave:
            // A step and its `..` belong to one machine: the step's other candidates are dropped with the cursor.
            if let left = cursors.popLast() { pathEnd = min(pathEnd, left.step) }
            instructions.append(.leave(outer: outer))
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
            switch instruction {
            case .ascend: pathEnd = min(pathEnd, step)
            // The machine that reads a value tries to convert it.
            case .yieldConverted(let conversion, let isStrict) where !conversion.isTotal(isStrict: isStrict):
                pathEnd = min(pathEnd, step - 1)
            default: break
            }
            instructions.append(instruction)
        }
    }

    private mutating func push(_ step: Instruction) {
        cursors.append((self.step, Address(rawValue: UInt32(instructions.count))))
        instructions.append(step)
    }
}
