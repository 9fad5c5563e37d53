// What no hash decides: tests of elements, and the rests of queries, which a machine runs.

import XMLTree

extension TrieWalk {
    /// Makes the attempts of a state, and enters the next state of each that succeeds. Returns how many edges are
    /// decided.
    @inline(never)
    mutating func followAttempts(on node: NodeIndex, _ first: AttemptIndex) -> UInt32 {
        var decided: UInt32 = 0
        var index = first
        repeat {
            let attempt = trie.attempts[index]
            let step = attempt.step
            let passes =
                switch step.op {
                case .own: view.isInNamespaceOfParent(node)
                case .not: view.name(of: node).local != step.key
                default: view.hasText(node)
                }
            if passes, enter(attempt.target, node) { decided += 1 }
            index = attempt.next
        } while index != .none
        return decided
    }

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
}
