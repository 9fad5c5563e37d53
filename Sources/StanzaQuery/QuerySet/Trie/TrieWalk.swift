// One evaluation of all queries of a set: follows the edges of the trie from element to element.
//
// A state is visited at most once for each element, because only one path leads to it. As soon as everything that a state leads
// to is decided, no further candidates are looked at, like a machine that stops at its first result. The order in which
// one query's candidates are looked at is that of its own machine, so that both meet the same fault first, or a result
// before it. What the trie cannot express runs on that machine.

import XMLTree

struct TrieWalk {
    private let trie: TrieView
    private let view: TreeView
    private let bindings: Unmanaged<SharedNamespaceContext>?
    private(set) var collector: MatchCollector

    /// - Parameter bindings: What surrounds the tree, if a query needs it.
    @inline(__always)
    init(
        _ trie: TrieView, _ view: TreeView, bindings: Unmanaged<SharedNamespaceContext>?, _ collector: MatchCollector
    ) {
        self.trie = trie
        self.view = view
        self.bindings = bindings
        self.collector = collector
    }

    @inline(__always)
    mutating func run(on context: NodeIndex) {
        _ = follow(to: .root, context)
    }

    /// Enters a state. Returns whether everything behind it is decided.
    @inline(__always)
    private mutating func follow(to index: StateIndex, _ node: NodeIndex) -> Bool {
        var entry = trie.states[index].firstEntry
        while entry != .none {
            collect(entry)
            entry = trie.entries[entry].next
        }
        return trie.states[index].edgeCount == 0 || visit(index, node)
    }

    /// Follows all edges of a state. Returns whether everything behind them is decided.
    private mutating func visit(_ index: StateIndex, _ node: NodeIndex) -> Bool {
        var open = trie.states[index].edgeCount
        if trie.states[index].firstAttributeTest != .none { open -= followAttributes(of: node, from: index) }
        if !trie.states[index].named.isDisjoint(with: .byOwnName) { open -= followOwnName(of: node, from: index) }
        if trie.states[index].firstCheck != .none { open -= followChecks(of: node, from: index) }
        if trie.states[index].childEdgeCount > 0 { open -= followChildren(of: node, from: index) }
        if trie.states[index].firstTail != .none { open -= runTails(of: index, on: node) }
        return open == 0
    }

    // MARK: Children

    /// Follows the edges to children. Like the methods below, it returns how many edges are decided.
    @inline(__always)
    private mutating func followChildren(of node: NodeIndex, from index: StateIndex) -> UInt32 {
        var child = view[node].firstChild
        if child == .none { return 0 }
        let (kinds, count) = (trie.states[index].named, trie.states[index].childEdgeCount)
        let (anyChild, anyInNamespace) = (trie.states[index].anyChild, trie.states[index].anyChildInNamespace)
        let named = EdgeOrigin(index, .child)
        let inherited = EdgeOrigin(index, .childInherited)
        let namespace =
            kinds.contains(.childInherited) || anyInNamespace != .none
            ? view.name(of: node).namespace.rawValue : 0
        var decided = DecidedEdges()
        repeat {
            let key = view[child].key.rawValue
            if kinds.contains(.child) {
                follow(trie.edges.target(EdgeTag(key, from: named)), child, &decided)
            }
            if kinds.contains(.childInherited) {
                // In the element's own namespace this is the key of the local name, in others the key of nothing.
                follow(trie.edges.target(EdgeTag(key &- namespace, from: inherited)), child, &decided)
            }
            if !kinds.isDisjoint(with: .byPartOfChildName) {
                let name = view.name(of: child)
                if kinds.contains(.childAnywhere) {
                    let tag = EdgeTag(name.local.rawValue, from: EdgeOrigin(index, .childAnywhere))
                    follow(trie.edges.target(tag), child, &decided)
                }
                if kinds.contains(.childInNamespace) {
                    let tag = EdgeTag(name.namespace.rawValue, from: EdgeOrigin(index, .childInNamespace))
                    follow(trie.edges.target(tag), child, &decided)
                }
            }
            follow(anyChild, child, &decided)
            if anyInNamespace != .none, view.name(of: child).namespace.rawValue == namespace {
                follow(anyInNamespace, child, &decided)
            }
            child = view[child].next
        } while child != .none && decided.count < count
        return decided.count
    }

    @inline(__always)
    private mutating func follow(_ target: StateIndex, _ child: NodeIndex, _ decided: inout DecidedEdges) {
        if target != .none, !decided.contains(target), follow(to: target, child) { decided.insert(target) }
    }

    // MARK: The element itself

    @inline(__always)
    private mutating func followOwnName(of node: NodeIndex, from index: StateIndex) -> UInt32 {
        let kinds = trie.states[index].named
        let name = view.name(of: node)
        var decided: UInt32 = 0
        func follow(_ kind: NamedEdge, _ key: NameKey, _ walk: inout TrieWalk) {
            let target = walk.trie.edges.target(EdgeTag(key.rawValue, from: EdgeOrigin(index, kind)))
            if target != .none, walk.follow(to: target, node) { decided += 1 }
        }
        if kinds.contains(.own) { follow(.own, name.expanded, &self) }
        if kinds.contains(.ownAnywhere) { follow(.ownAnywhere, name.local, &self) }
        if kinds.contains(.ownNamespace) { follow(.ownNamespace, name.namespace, &self) }
        if kinds.contains(.ownInherited), view.isInNamespaceOfParent(node) {
            follow(.ownInherited, name.local, &self)
        }
        return decided
    }

    @inline(__always)
    private mutating func followAttributes(of node: NodeIndex, from index: StateIndex) -> UInt32 {
        var decided: UInt32 = 0
        var test = trie.states[index].firstAttributeTest
        repeat {
            if let reference = view.attribute(qualified: trie.attributeTests[test].name, of: node) {
                let exists = trie.attributeTests[test].exists
                if exists != .none, follow(to: exists, node) { decided += 1 }
                if trie.attributeTests[test].valueCount > 0 {
                    let target = trie.target(of: view.string(reference), test)
                    if target != .none, follow(to: target, node) { decided += 1 }
                }
            }
            test = trie.attributeTests[test].next
        } while test != .none
        return decided
    }

    @inline(never)
    private mutating func followChecks(of node: NodeIndex, from index: StateIndex) -> UInt32 {
        var decided: UInt32 = 0
        var check = trie.states[index].firstCheck
        repeat {
            let target = trie.checks[check].target
            let holds: Bool
            switch trie.checks[check].test {
            case .hasText: holds = view.hasText(node)
            case .isInInherited: holds = view.isInNamespaceOfParent(node)
            case .isNotNamed(let name): holds = view.name(of: node).local != name
            case .part(let part):
                switch run(part, on: node) {
                case .result: holds = true
                case .noResult: holds = false
                case .fault:
                    // All queries behind it end here.
                    collector.add(.state(target))
                    decided += 1
                    holds = false
                }
            }
            if holds, follow(to: target, node) { decided += 1 }
            check = trie.checks[check].next
        } while check != .none
        return decided
    }

    // MARK: Machines

    private enum Outcome {
        case result, noResult
        case fault(PatternIndex)
    }

    @inline(never)
    private mutating func runTails(of index: StateIndex, on node: NodeIndex) -> UInt32 {
        var decided: UInt32 = 0
        var entry = trie.states[index].firstTail
        repeat {
            let link = trie.entries[entry]
            if collector.contains(entry) || isFaulty(entry) {
                decided += 1
            } else {
                switch run(link.tail, on: node) {
                case .result:
                    collect(entry)
                    decided += 1
                case .noResult: break
                case .fault(let pattern):
                    collector.add(.tail(entry, pattern))
                    decided += 1
                }
            }
            entry = link.next
        } while entry != .none
        return decided
    }

    @inline(never)
    private func run(_ part: PartIndex, on node: NodeIndex) -> Outcome {
        guard let program = trie.parts[part].program else { return .noResult }
        return withExtendedLifetime(program) {
            let input = MachineInput(.passUnretained(program), view: view, bindings: bindings, arguments: .none)
            var machine = Machine(input, context: node, observer: NoObserver())
            do throws(RegexFault) {
                return try machine.next() == nil ? .noResult : .result
            } catch {
                return .fault(error.pattern)
            }
        }
    }

    // MARK: Results

    @inline(__always)
    private mutating func collect(_ entry: EntryIndex) {
        if collector.hasFaults, isFaulty(entry) { return }
        collector.add(QuerySet.ID(entry, generation: trie.entries[entry].generation))
    }

    /// Whether a regular expression has ended the evaluation of a query.
    private func isFaulty(_ entry: EntryIndex) -> Bool { collector.fault(of: entry, in: trie) != nil }
}

/// Some edges that need not be followed any more: those to children that are decided.
private struct DecidedEdges {
    private var targets = SIMD4<UInt32>(repeating: StateIndex.none.rawValue)
    private(set) var count: UInt32 = 0

    @inline(__always)
    func contains(_ target: StateIndex) -> Bool {
        targets.x == target.rawValue || targets.y == target.rawValue || targets.z == target.rawValue
            || targets.w == target.rawValue
    }

    /// Forgets edges that there is no room for; following one again changes nothing.
    @inline(__always)
    mutating func insert(_ target: StateIndex) {
        switch count {
        case 0: targets.x = target.rawValue
        case 1: targets.y = target.rawValue
        case 2: targets.z = target.rawValue
        case 3: targets.w = target.rawValue
        default: return
        }
        count += 1
    }
}
