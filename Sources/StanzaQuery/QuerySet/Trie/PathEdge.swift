// Reads the steps of a program as a path through the trie: the edges that it takes, and the rest at the end.
//
// The trie has edges for steps down, for tests of names and attributes, and for results that need only the element.
// Other filters become checks that an ordinary machine runs (Guard.swift). The path ends at the first other step, and a
// machine runs the rest of the program. Such steps are one whose element a `..` leaves, a value whose conversion may
// fail, and a data form.

import XMLTree

/// An edge of the trie, as a query needs it.
package enum PathEdge {
    case named(NamedTest, NameKey)
    case anyChild
    case anyChildInNamespace
    case hasAttribute(NameKey)
    case attributeEquals(NameKey, UnsafeBufferPointer<UInt8>)
    case check(CheckContent)
}

/// For programs without arguments, or with bound ones.
extension Program {
    /// The trie cuts longer paths and leaves the rest to a machine: following the trie takes a call for each edge, and
    /// queries may have any length.
    static let longestPath = 48

    /// The number of steps that edges can be made of, and a result at their end.
    private var edgeLimit: Int {
        // A prefix lookup goes through all ancestors; one machine remembers the result (2.6).
        usesPrefixes ? 0 : min(firstMachineStep, steps.count)
    }

    /// A step as an edge; `nil` at the end of the path. The edge is valid as long as the program lives.
    package func edge(at step: Int) -> PathEdge? {
        guard step < min(edgeLimit, Self.longestPath) else { return nil }
        switch steps[step].action {
        case .element(let kind, let name): return .named(kind, name)
        case .anyChild: return .anyChild
        case .anyChildInNamespace: return .anyChildInNamespace
        case .isNotNamed(let name): return .check(.isNotNamed(name))
        case .load(.plain(let name)), .filter(.drop, .plain(let name)): return .hasAttribute(name)
        case .filter(.equals(let text), .plain(let name)): return .attributeEquals(name, string(text))
        case .filter(let test, let source): return .check(.filter(Guard(test, of: source, in: self)))
        case .other(.isInInherited): return .check(.isInInherited)
        case .other(.yieldText), .other(.yieldConvertedText): return .check(.hasText)
        case .load, .ascend, .other: return nil
        }
    }

    /// Whether the element at the end of the path gives a result. Otherwise a machine runs the steps from there on.
    func isResult(at step: Int) -> Bool {
        if step == steps.count { return true }
        guard step < edgeLimit, case .other(let instruction) = steps[step].action else { return false }
        switch instruction {
        // Every element has a name, and the path does not reach conversions that may fail.
        case .yieldElement, .yieldAttributes, .loadName, .yieldString, .yieldConverted: return true
        default: return false
        }
    }
}
