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
    var instructions: [Instruction] {
        var writer = InstructionWriter()
        writer.instructions.reserveCapacity(count)
        for step in self { writer.write(step.action) }
        return writer.instructions
    }
}

private struct InstructionWriter {
    var instructions: [Instruction] = []
    /// The steps whose cursors are on the stack, apart from the context's.
    private var cursors: [Address] = []

    mutating func write(_ action: QueryStep.Action) {
        switch action {
        case .element(.child, let name): push(.childrenNamed(name, outer: cursors.last))
        case .element(.childInherited, let name): push(.childrenNamedInherited(name, outer: cursors.last))
        case .element(.childAnywhere, let name): push(.childrenNamedAnywhere(name, outer: cursors.last))
        case .element(.childInNamespace, let name): push(.childrenInNamespace(name, outer: cursors.last))
        case .element(.own, let name): instructions.append(.isNamed(name))
        case .element(.ownInherited, let name): instructions.append(.isNamedInherited(name))
        case .element(.ownAnywhere, let name): instructions.append(.isNamedAnywhere(name))
        case .element(.ownNamespace, let name): instructions.append(.isInNamespace(name))
        case .anyChild: push(.childrenAll(outer: cursors.last))
        case .anyChildInNamespace: push(.childrenInInherited(outer: cursors.last))
        case .isNotNamed(let name): instructions.append(.isNotNamed(name))
        case .leave:
            _ = cursors.popLast()
            instructions.append(.leave(outer: cursors.last))
        // One instruction each for the common filters.
        case .filter(.drop, .plain(let name)): instructions.append(.hasAttribute(name))
        case .filter(.equals(let text), .plain(let name)): instructions.append(.attributeEquals(name, text))
        case .filter(.equalsArgument(let argument), .plain(let name)):
            instructions.append(.attributeEqualsArgument(name, argument))
        case .filter(let test, let source):
            instructions.append(source.load)
            instructions.append(test)
        case .load(let source): instructions.append(source.load)
        case .other(let instruction): instructions.append(instruction)
        }
    }

    private mutating func push(_ step: Instruction) {
        cursors.append(Address(rawValue: UInt32(instructions.count)))
        instructions.append(step)
    }
}
