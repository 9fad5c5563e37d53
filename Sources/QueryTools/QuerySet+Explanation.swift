// Prints the tests that the queries of a set share, and the queries that run on every element.

import QuerySyntax
public import StanzaQuery

extension QuerySet {
    /// The way in which the set finds a query that may match.
    public enum Lookup: Sendable, Hashable {
        /// By hash, from the name or the namespace of the element or of an element below, or the name of an attribute.
        /// After `*`, the set looks up each child that the `*` may match.
        case name
        /// By hash, from the value of an attribute; after `*` as with a name.
        case value
        /// By trying: the set runs the query's first test on every element that it evaluates, and after `*` on all its
        /// children. A set should have few such queries.
        case everyElement
    }

    /// The way in which the set finds a query; `nil` if the set does not have it any more.
    public func lookup(of id: ID) -> Lookup? {
        guard let program = self[id]?.program else { return nil }
        var step = 0
        while let edge = program.edge(at: step) {
            step += 1
            switch edge {
            case .named, .hasAttribute: return .name
            case .attributeEquals: return .value
            // A state has one such edge for all queries.
            case .anyChild, .anyChildInNamespace, .check(.hasText), .check(.isInInherited): continue
            case .check(.isNotNamed), .check(.filter): return .everyElement
            }
        }
        return .everyElement
    }

    /// A readable form of the set: the tests that queries share, as a tree, and the queries that run on every element.
    /// After each test come the queries that end there, each with its values; a `+` marks a query that needs a program
    /// of its own for the rest.
    ///
    /// ```text
    /// 3 queries
    /// @type = "error"
    ///     0  /<type=error>
    /// text
    ///     2  /#
    /// child body
    ///     text
    ///         1  body#
    /// tried on every element
    ///     2  /#
    /// ```
    public var explanation: String {
        var lines = [count == 1 ? "1 query" : "\(count) queries"]
        if !isEmpty { lines += TrieDrawing(self).lines }
        let linear = ids.filter { lookup(of: $0) == .everyElement }
        if !linear.isEmpty {
            lines.append("tried on every element")
            lines += linear.map { TrieDrawing.indentation + name(of: $0) }
        }
        return lines.joined(separator: "\n")
    }

    fileprivate func name(of id: ID) -> String {
        guard let entry = self[id] else { return "\(id.index)" }
        let values = entry.query.values.map { " " + quotedText($0.description) }.joined()
        return "\(id.index)  \(escapedText(entry.query.source))\(values)"
    }
}

/// Draws the trie of a set.
private struct TrieDrawing {
    static let indentation = "    "

    private let set: QuerySet
    /// The tests of each state's edge.
    private var labels: [Int: String] = [:]
    /// The successors of each state, and the queries that end there; both in the order of the set.
    private var children: [Int: [Int]] = [:]
    private var ends: [Int: [QuerySet.ID]] = [:]
    /// The state that every path begins with.
    private var root: Int?

    init(_ set: QuerySet) {
        self.set = set
        for id in set.ids {
            guard let program = set[id]?.program else { continue }
            let states = set.path(of: id)
            root = states.first
            let edges = EdgeLabels(program)
            for (step, (parent, state)) in zip(states, states.dropFirst()).enumerated() {
                let label = edges.label(at: step)
                if labels.updateValue(label, forKey: state) == nil { children[parent, default: []].append(state) }
            }
            if let last = states.last { ends[last, default: []].append(id) }
        }
    }

    var lines: [String] {
        var lines: [String] = []
        if let root { append(root, depth: 0, to: &lines) }
        return lines
    }

    private func append(_ state: Int, depth: Int, to lines: inout [String]) {
        let indentation = String(repeating: Self.indentation, count: depth)
        for id in ends[state] ?? [] {
            lines.append(indentation + (set.needsProgram(id) ? "+ " : "") + set.name(of: id))
        }
        for child in children[state] ?? [] {
            lines.append(indentation + (labels[child] ?? ""))
            append(child, depth: depth + 1, to: &lines)
        }
    }
}

/// Describes the tests of the edges on a query's path.
private struct EdgeLabels {
    private let program: Program
    private let disassembler: Disassembler

    init(_ program: Program) {
        self.program = program
        disassembler = Disassembler(program)
    }

    /// Describes the test of a step, on one line.
    func label(at step: Int) -> String {
        let known = program.name(of: program.steps[step])
        // The text of a query has no name for a slot, and no namespace for an argument.
        let name = known.isEmpty ? "…" : escapedText(known)
        switch program.edge(at: step) {
        case .named(.child, _), .named(.childInherited, _): return "child \(name)"
        case .named(.childAnywhere, _): return "child {*}\(name)"
        case .named(.childInNamespace, _): return "child \(name)*"
        case .named(.own, _), .named(.ownInherited, _): return "is \(name)"
        case .named(.ownAnywhere, _): return "is {*}\(name)"
        case .named(.ownNamespace, _): return "is \(name)*"
        case .anyChild: return "child {*}*"
        case .anyChildInNamespace: return "child *"
        case .hasAttribute: return "@\(name)"
        case .attributeEquals(_, let value):
            return "@\(name) = \(quotedText(String(decoding: value, as: UTF8.self)))"
        case .check(.hasText): return "text"
        case .check(.isInInherited): return "is *"
        case .check(.isNotNamed): return "is not \(name)"
        case .check(.filter): return disassembler.describe(step: step)
        case nil: return ""
        }
    }
}
