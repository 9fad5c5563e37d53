// One evaluation of all queries of a set: follows the edges of the trie from element to element.
//
// The walk visits a state at most once for each element, because only one path leads to it. When everything that a
// state leads to is decided, the walk skips further candidates of the same name, and does not repeat tests that cost
// more than a look-up. It visits other states once more, which changes nothing. It visits one query's candidates in the
// order of the query's own machine, so that both meet the same fault first, or a result before it. That machine runs
// the parts that the trie cannot express.

import XMLTree

struct TrieWalk: BitwiseCopyable {
    let trie: TrieView
    let view: TreeView
    let bindings: Unmanaged<SharedNamespaceContext>?
    var collector: MatchCollector

    /// Evaluates all queries on an element, for a caller that holds set and tree.
    ///
    /// - Parameters:
    ///   - bindings: The namespace bindings around the tree, if a query needs them.
    ///   - collector: Receives the matches.
    @inline(__always)
    static func run(
        _ trie: UnsafePointer<TrieView>, _ view: TreeView, _ context: NodeIndex,
        bindings: Unmanaged<SharedNamespaceContext>?, _ collector: MatchCollector
    ) -> MatchCollector {
        var walk = TrieWalk(trie: trie.pointee, view: view, bindings: bindings, collector: collector)
        walk.enterRoot(with: context)
        return walk.collector
    }

    /// Enters the root, which has edges of all kinds, and follows them without another call.
    @inline(__always)
    private mutating func enterRoot(with context: NodeIndex) {
        let entry = trie.states[.root].firstEntry
        if entry != .none { collectAll(from: entry) }
        _ = followEdges(of: .root, context)
    }

    /// Enters a state with an element. Returns whether everything reachable from it is decided.
    @inline(__always)
    mutating func enter(_ index: StateIndex, _ node: NodeIndex) -> Bool {
        let state = trie.states + index.offset
        let entry = state.pointee.firstEntry
        if entry != .none, !collectOne(entry) { collectAll(from: entry) }
        if state.pointee.edgeCount == 0 { return true }
        if state.pointee.leadsToNamedChildren {
            return followChildren(of: node, from: index, state.pointee.kinds) == state.pointee.edgeCount
        }
        return followOtherEdges(of: index, node)
    }

    /// Follows the edges of a state that has other edges than those to children.
    @inline(never)
    private mutating func followOtherEdges(of index: StateIndex, _ node: NodeIndex) -> Bool {
        followEdges(of: index, node)
    }

    /// Follows all edges of a state. Returns whether everything reachable by them is decided.
    @inline(__always)
    private mutating func followEdges(of index: StateIndex, _ node: NodeIndex) -> Bool {
        let state = trie.states + index.offset
        var open = state.pointee.edgeCount
        if state.pointee.attributeTestCount > 0 { open &-= followAttributes(of: node, from: index) }
        let kinds = state.pointee.kinds
        if !kinds.isDisjoint(with: .ofElement) { open &-= followElement(node, from: index, kinds) }
        if state.pointee.childEdgeCount > 0 {
            if kinds.isDisjoint(with: .unusualChildren) {
                open &-= followChildren(of: node, from: index, kinds)
            } else {
                open &-= followUnusualChildren(of: node, from: index, kinds)
            }
        }
        if state.pointee.firstTail != .none, runTails(on: node, state.pointee.firstTail) { open &-= 1 }
        return open == 0
    }

    // The methods below return how many edges they know to be decided.

    // MARK: Children

    /// Follows edges to children by their name, in their own or in the element's namespace.
    @inline(never)
    private mutating func followChildren(of node: NodeIndex, from index: StateIndex, _ kinds: EdgeKinds) -> UInt32 {
        var child = view[node].firstChild
        if child == .none { return 0 }
        var progress = ChildProgress(trie.states[index].childEdgeCount)
        let named = EdgeOrigin(index, .child, .name)
        let inherited = EdgeOrigin(index, .child, .inherited)
        let namespace = view.name(of: node).namespace.rawValue
        let names = trie.states[index].childNames
        repeat {
            let key = view[child].key.rawValue
            if kinds.contains(.childNamed), names.mayContain(key) {
                follow(trie.target(key, from: named), child, &progress)
            }
            // In the element's own namespace this is the key of the local name, in others the key of nothing.
            let localKey = key &- namespace
            if kinds.contains(.childInherited), names.mayContain(localKey) {
                follow(trie.target(localKey, from: inherited), child, &progress)
            }
            child = view[child].next
        } while child != .none && !progress.isOver
        return progress.decidedCount
    }

    /// The same for all kinds of edges to children.
    @inline(never)
    private mutating func followUnusualChildren(
        of node: NodeIndex, from index: StateIndex, _ kinds: EdgeKinds
    ) -> UInt32 {
        var progress = ChildProgress(trie.states[index].childEdgeCount)
        let namespace = view.name(of: node).namespace
        var child = view[node].firstChild
        while child != .none && !progress.isOver {
            let name = view.name(of: child)
            let local = NameKey(rawValue: name.expanded.rawValue &- namespace.rawValue)
            follow(.name, name.expanded, child, from: index, kinds, &progress)
            follow(.inherited, local, child, from: index, kinds, &progress)
            follow(.anywhere, name.local, child, from: index, kinds, &progress)
            follow(.namespace, name.namespace, child, from: index, kinds, &progress)
            follow(.any, .unbound, child, from: index, kinds, &progress)
            if name.namespace == namespace {
                follow(.inheritedNamespace, .unbound, child, from: index, kinds, &progress)
            }
            child = view[child].next
        }
        return progress.decidedCount
    }

    private mutating func follow(
        _ test: Step.Test, _ key: NameKey, _ child: NodeIndex, from index: StateIndex, _ kinds: EdgeKinds,
        _ progress: inout ChildProgress
    ) {
        if !kinds.contains(EdgeKinds(.child, test)) { return }
        follow(trie.target(key.rawValue, from: EdgeOrigin(index, .child, test)), child, &progress)
    }

    @inline(__always)
    private mutating func follow(_ target: StateIndex, _ child: NodeIndex, _ progress: inout ChildProgress) {
        if target != .none, !progress.isDecided(target), enter(target, child) { progress.decide(target) }
    }

    // MARK: The element itself

    @inline(never)
    private mutating func followElement(_ node: NodeIndex, from index: StateIndex, _ kinds: EdgeKinds) -> UInt32 {
        let name = view.name(of: node)
        var decided: UInt32 = 0
        follow(.name, name.expanded, of: node, from: index, kinds, &decided)
        follow(.anywhere, name.local, of: node, from: index, kinds, &decided)
        follow(.namespace, name.namespace, of: node, from: index, kinds, &decided)
        if view.isInNamespaceOfParent(node) {
            follow(.inherited, name.local, of: node, from: index, kinds, &decided)
            follow(.inheritedNamespace, .unbound, of: node, from: index, kinds, &decided)
        }
        if kinds.contains(EdgeKinds(.yield)), view.hasText(node) {
            let target = trie.target(NameKey.unbound.rawValue, from: EdgeOrigin(index, .yield(.text)))
            if target != .none, enter(target, node) { decided += 1 }
        }
        return decided
    }

    @inline(__always)
    private mutating func follow(
        _ test: Step.Test, _ key: NameKey, of node: NodeIndex, from index: StateIndex, _ kinds: EdgeKinds,
        _ decided: inout UInt32
    ) {
        if !kinds.contains(EdgeKinds(.own, test)) { return }
        let target = trie.target(key.rawValue, from: EdgeOrigin(index, .own, test))
        if target != .none, enter(target, node) { decided += 1 }
    }

    @inline(__always)
    private mutating func followAttributes(of node: NodeIndex, from index: StateIndex) -> UInt32 {
        var decided: UInt32 = 0
        let names = trie.states[index].attributeNames
        let origin = EdgeOrigin(attributesOf: index)
        for record in view.attributeRecords(of: node) {
            let name = view[record.name].qualified.rawValue
            if !names.mayContain(name) { continue }
            let test = trie.target(name, from: origin)
            if test == .none { continue }
            follow(AttributeTestIndex(rawValue: test.rawValue), record.value, of: node, &decided)
        }
        return decided
    }

    /// Follows the edges of a test whose attribute exists.
    @inline(__always)
    private mutating func follow(
        _ index: AttributeTestIndex, _ value: ByteReference, of node: NodeIndex, _ decided: inout UInt32
    ) {
        let test = trie.attributeTests + index.offset
        if test.pointee.exists != .none, enter(test.pointee.exists, node) { decided &+= 1 }
        if test.pointee.valueCount > 0 {
            let value = view.string(value)
            if test.pointee.mayEqual(value) {
                let target = target(of: value, index)
                if target != .none, enter(target, node) { decided &+= 1 }
            }
        }
    }

    /// Mutates nothing: calls of methods without this declaration copy the walk.
    @inline(never)
    private mutating func target(of value: UnsafeBufferPointer<UInt8>, _ index: AttributeTestIndex) -> StateIndex {
        trie.target(hash(ofValue: value), from: EdgeOrigin(index))
    }

    // MARK: Rests of queries

    /// Runs the rests of queries. Returns whether all of them are decided.
    @inline(never)
    mutating func runTails(on node: NodeIndex, _ first: EntryIndex) -> Bool {
        if collector.isClosed(listFrom: first) { return true }
        var areDecided = true
        var entry = first
        repeat {
            let link = trie.entries[entry]
            if !collector.contains(entry), !runTail(of: link, entry, on: node) { areDecided = false }
            entry = link.next
        } while entry != .none
        if areDecided { collector.close(listFrom: first) }
        return areDecided
    }

    /// Runs the rest of a query. Returns whether the query is decided then.
    @inline(never)
    private mutating func runTail(of link: EntryLink, _ entry: EntryIndex, on node: NodeIndex) -> Bool {
        let input = MachineInput(link.program, view: view, bindings: bindings, arguments: .none)
        var machine = Machine(input, context: node, from: Int(link.tail), observer: NoObserver())
        let id = QuerySet.ID(entry, generation: link.generation)
        do throws(RegexFault) {
            if try machine.next() == nil { return false }
            collector.add(id, entryCount: trie.entryCount)
        } catch {
            collector.fail(id, error, entryCount: trie.entryCount)
        }
        return true
    }

    // MARK: Results

    /// Collects the query of a list with no other query, in the simple case: the usual one, in a function without a
    /// stack.
    @inline(never)
    private mutating func collectOne(_ entry: EntryIndex) -> Bool {
        let link = trie.entries + entry.offset
        if link.pointee.next != .none { return false }
        if collector.isFull { return collector.addToMany(entry) }
        if !collector.contains(entry) { add(entry, link) }
        return true
    }

    @inline(__always)
    private mutating func add(_ entry: EntryIndex, _ link: UnsafePointer<EntryLink>) {
        collector.add(QuerySet.ID(entry, generation: link.pointee.generation), entryCount: trie.entryCount)
    }

    /// Collects the queries of a list, all of which match. A further candidate does not collect them again.
    @inline(never)
    private mutating func collectAll(from first: EntryIndex) {
        if collector.contains(first) { return }
        var entry = first
        repeat {
            let link = trie.entries + entry.offset
            add(entry, link)
            entry = link.pointee.next
        } while entry != .none
    }
}

/// The edges of a state that need not be followed to further children, because everything after them is decided.
private struct ChildProgress {
    private let edgeCount: UInt32
    /// The edge that was decided last. Runs of children with one name skip it; following another decided edge again
    /// changes nothing.
    private var last = StateIndex.none

    @inline(__always)
    init(_ edgeCount: UInt32) { self.edgeCount = edgeCount }

    @inline(__always)
    func isDecided(_ target: StateIndex) -> Bool { target == last }

    @inline(__always)
    mutating func decide(_ target: StateIndex) { last = target }

    /// Whether all edges are decided, as far as one remembered edge can show.
    @inline(__always)
    var isOver: Bool { edgeCount == 1 && last != .none }

    @inline(__always)
    var decidedCount: UInt32 { isOver ? 1 : 0 }
}
