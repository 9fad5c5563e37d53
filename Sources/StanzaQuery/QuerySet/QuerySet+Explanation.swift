// Prints the tests that the queries of a set share, and the queries that run on every element.

import QuerySyntax
import XMLTree

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
        guard let query = self[id]?.bound else { return nil }
        var path = QueryPath(query)
        while let edge = path.next() {
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
    /// After each test come the queries that end there; a `+` marks a query that needs a program of its own for the
    /// rest.
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
        let arguments = entry.arguments.map { " " + quotedText($0.description) }.joined()
        return "\(id.index)  \(escapedText(entry.query.source))\(arguments)"
    }
}

/// Draws the trie of a set.
private struct TrieDrawing {
    static let indentation = "    "

    private let set: QuerySet
    /// The tests of each state's edge.
    private var labels: [StateIndex: String] = [:]
    /// The successors of each state, and the queries that end there; both in the order of the set.
    private var children: [StateIndex: [StateIndex]] = [:]
    private var ends: [StateIndex: [QuerySet.ID]] = [:]

    init(_ set: QuerySet) {
        self.set = set
        for id in set.ids {
            guard let query = set[id]?.bound else { continue }
            let states = Array(set.storage.view.pointee.path(of: id.entry).reversed())
            var edges = EdgeLabels(query)
            for (parent, state) in zip(states, states.dropFirst()) {
                let label = edges.next() ?? ""
                if labels.updateValue(label, forKey: state) == nil { children[parent, default: []].append(state) }
            }
            if let last = states.last { ends[last, default: []].append(id) }
        }
    }

    var lines: [String] {
        var lines: [String] = []
        append(.root, depth: 0, to: &lines)
        return lines
    }

    private func append(_ state: StateIndex, depth: Int, to lines: inout [String]) {
        let indentation = String(repeating: Self.indentation, count: depth)
        for id in ends[state] ?? [] {
            let isWhole = set.storage.view.pointee.entries[id.entry].tail == .none
            lines.append(indentation + (isWhole ? "" : "+ ") + set.name(of: id))
        }
        for child in children[state] ?? [] {
            lines.append(indentation + (labels[child] ?? ""))
            append(child, depth: depth + 1, to: &lines)
        }
    }
}

/// Describes the tests of the edges on a query's path.
private struct EdgeLabels {
    private var path: QueryPath
    private let disassembler: Disassembler

    init(_ query: CompiledQuery) {
        path = QueryPath(query)
        disassembler = Disassembler(query)
    }

    /// Describes the test of the next edge, on one line.
    mutating func next() -> String? {
        path.next().map { label(of: $0) }
    }

    private func label(of edge: QueryPath.Edge) -> String {
        switch edge {
        case .named(.child, let name), .named(.childInherited, let name): return "child \(text(name))"
        case .named(.childAnywhere, let name): return "child {*}\(text(name))"
        case .named(.childInNamespace, let namespace): return "child \(text(namespace))*"
        case .named(.own, let name), .named(.ownInherited, let name): return "is \(text(name))"
        case .named(.ownAnywhere, let name): return "is {*}\(text(name))"
        case .named(.ownNamespace, let namespace): return "is \(text(namespace))*"
        case .anyChild: return "child {*}*"
        case .anyChildInNamespace: return "child *"
        case .hasAttribute(let name): return "@\(text(name))"
        case .attributeEquals(let name, let value):
            return "@\(text(name)) = \(quotedText(String(decoding: value, as: UTF8.self)))"
        case .check(.hasText): return "text"
        case .check(.isInInherited): return "is *"
        case .check(.isNotNamed(let name)): return "is not \(text(name))"
        case .check(.filter):
            return [path.edgeAddress, path.edgeAddress + 1].map(disassembler.describe(at:)).joined(separator: ", ")
        }
    }

    /// A namespace that came as an argument appears in no query.
    private func text(_ key: NameKey) -> String { disassembler.name(of: key) ?? "…" }
}
