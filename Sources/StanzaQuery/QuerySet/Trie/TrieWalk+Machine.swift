// The tests that no hash decides: checks of elements, and the parts of queries that an ordinary machine runs.

import XMLTree

extension TrieWalk {
    /// Makes the checks of a state, and enters the next state of each check that holds. Returns how many edges are
    /// decided.
    @inline(never)
    mutating func followChecks(of node: NodeIndex, _ first: CheckIndex) -> UInt32 {
        var decided: UInt32 = 0
        var index = first
        repeat {
            let check = trie.checks[index]
            let holds: Bool
            switch check.test {
            case .hasText: holds = view.hasText(node)
            case .isInInherited: holds = view.isInNamespaceOfParent(node)
            case .isNotNamed(let name): holds = view.name(of: node).local != name
            case .part where isDecided(check.target):
                decided += 1
                holds = false
            case .part(let part):
                switch run(part, on: node) {
                case .result: holds = true
                case .noResult: holds = false
                case .fault:
                    // All queries after the check end here.
                    collector.add(.state(check.target))
                    decided += 1
                    holds = false
                }
            }
            if holds, enter(check.target, node) { decided += 1 }
            index = check.next
        } while index != .none
        return decided
    }

    /// Whether all queries after a check are done: a fault has ended them, or they have their results.
    private mutating func isDecided(_ index: StateIndex) -> Bool {
        if collector.isFaulty(index) { return true }
        let state = trie.states[index]
        guard state.edgeCount == 0, state.firstEntry != .none else { return false }
        return collector.hasAll(from: state.firstEntry) || isListDecided(from: state.firstEntry)
    }

    /// Whether all queries of a list have their results or come too late. Both are final, so that the walk goes through
    /// the list once, for any number of candidates.
    private mutating func isListDecided(from first: EntryIndex) -> Bool {
        if collector.lengthOfDecidedList(from: first) != nil { return true }
        var (entry, length) = collector.undecidedPlace(inListFrom: first) ?? (first, 0)
        while collector.isDecided(entry, trie) {
            length += 1
            entry = trie.entries[entry].next
            if entry == .none {
                collector.decidedAll(from: first, length: length)
                return true
            }
        }
        collector.decided(length, from: first, upTo: entry)
        return false
    }

    /// Runs the rests of queries. Returns how many of them are decided.
    @inline(never)
    mutating func runTails(on node: NodeIndex, _ first: EntryIndex) -> UInt32 {
        if let length = collector.lengthOfDecidedList(from: first) { return length }
        var length: UInt32 = 0
        var decided: UInt32 = 0
        var entry = first
        repeat {
            let link = trie.entries[entry]
            if collector.isDecided(entry, trie) || isFaulty(entry) {
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
            length += 1
            entry = link.next
        } while entry != .none
        if decided == length { collector.decidedAll(from: first, length: length) }
        return decided
    }

    private enum Outcome {
        case result, noResult
        case fault(PatternIndex)
    }

    @inline(never)
    private func run(_ part: PartIndex, on node: NodeIndex) -> Outcome {
        let input = MachineInput(trie.program(part), view: view, bindings: bindings, arguments: .none)
        var machine = Machine(input, context: node, observer: NoObserver())
        do throws(RegexFault) {
            return try machine.next() == nil ? .noResult : .result
        } catch {
            return .fault(error.pattern)
        }
    }
}
