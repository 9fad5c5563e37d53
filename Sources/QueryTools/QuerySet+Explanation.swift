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
            switch edge.edge {
            case .key, .attribute: return .name
            case .value: return .value
            // A state has one such edge for all queries.
            case .attempt, nil: continue
            }
        }
        return .everyElement
    }

    /// A readable form of the set: the steps that queries share, as a tree, and the queries that run on every element.
    /// After each step come the queries that end there, each with its values; a `+` marks a query whose rest a machine
    /// runs.
    ///
    /// ```text
    /// 3 queries
    /// filter type = "error"
    ///     0  /<type=error>
    /// yield text
    ///     2  /#
    /// child body
    ///     yield text
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
            let steps = Disassembler(program)
            for (step, (parent, state)) in zip(states, states.dropFirst()).enumerated() {
                let label = steps.edge(at: step)
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
            lines.append(indentation + (set.needsMachine(id) ? "+ " : "") + set.name(of: id))
        }
        for child in children[state] ?? [] {
            lines.append(indentation + (labels[child] ?? ""))
            append(child, depth: depth + 1, to: &lines)
        }
    }
}
