// Reads the steps of a program as a path through the trie: the edges that it takes, and the rest at the end.
//
// The trie has edges for steps down, for tests of names and attributes, and for results that need only the element. The
// path ends at the first other step, and a machine runs the program from there on. Such steps are regular expressions
// and other tests that no hash decides, one whose element a `..` leaves, a value whose conversion may fail, and a data
// form.

import XMLTree

extension Step {
    /// How a set finds what passes a step.
    package enum Edge {
        /// By the key of the element's name or namespace, or of a child's.
        case key
        /// By the name of an attribute.
        case attribute
        /// By the value of an attribute.
        case value
        /// By trying, and all children by none: a state has one such edge of each kind.
        case attempt
    }

    /// `nil` for a step that no edge can be made of.
    package var edge: Edge? {
        switch op {
        case .child: test == .any || test == .inheritedNamespace ? .attempt : .key
        case .own: test == .inheritedNamespace ? .attempt : .key
        case .filter where isPlain && condition == .exists: .attribute
        case .filter where isPlain && condition == .equals: .value
        case .yield where result == .attribute && isPlain: .attribute
        case .yield where result == .text: .attempt
        case .not, .filter, .yield, .leave, .ascend: nil
        }
    }
}

/// For programs without arguments, or with bound ones.
extension Program {
    /// The trie cuts longer paths and leaves the rest to a machine: following the trie takes a call for each edge, and
    /// queries may have any length.
    static let longestPath = 48

    /// A step as an edge; `nil` at the end of the path.
    package func edge(at step: Int) -> Step? {
        // A prefix lookup goes through all ancestors; one machine remembers the result (2.6).
        guard step < min(machineStart, Self.longestPath, stepCount), !usesPrefixes else { return nil }
        return code[step].edge == nil ? nil : code[step]
    }

    /// Whether the element at the end of the path gives a result. Otherwise a machine runs the steps from there on.
    func isResult(at step: Int) -> Bool {
        if step == stepCount { return true }
        guard step < machineStart, !usesPrefixes, code[step].op == .yield else { return false }
        // Every element has a name.
        return [.element, .attributes, .name].contains(code[step].result)
    }
}
