// Finds, makes and removes the edges of the trie.

import XMLTree

extension QueryTrie {
    // MARK: Finding and making

    /// The state that an edge leads to. The trie makes both if they do not exist.
    ///
    /// - Parameter program: The program that has the step.
    mutating func target(of step: Step, from state: StateIndex, in program: Program) -> StateIndex {
        switch step.edge {
        case .key, .attempt: return keyedTarget(of: step, from: state)
        case .children:
            let place = step.childrenPlace
            if states[state][keyPath: place] == .none { states[state][keyPath: place] = make(step, from: state) }
            return states[state][keyPath: place]
        case .attribute:
            let test = attributeTest(of: step.key, in: state)
            if attributeTests[test].exists == .none { attributeTests[test].exists = make(step, from: state) }
            return attributeTests[test].exists
        case .value: return target(of: program.string(of: step), step, from: state)
        case nil: preconditionFailure("a path has edges only")
        }
    }

    // Four callers: copies of this in each cost the compiler much time.
    @inline(never)
    private mutating func make(_ step: Step, value: UInt64 = 0, from parent: StateIndex) -> StateIndex {
        let state = states.insert(TrieState())
        // Both tables grow and shrink together, so both indexes are the same.
        let origin = origins.insert(StateOrigin(parent: parent, step: step, value: value))
        assert(origin == state.origin, "a state and its origin have drifted apart")
        states[parent].edgeCount += 1
        if step.op == .child { states[parent].childEdgeCount += 1 }
        if step.op == .child || step.op == .own { states[parent].kinds.insert(step.edgeKind) }
        return state
    }

    private mutating func keyedTarget(of step: Step, from state: StateIndex) -> StateIndex {
        let tag = EdgeTag(step.key.rawValue, from: EdgeOrigin(state, step))
        if let target = edges.target(tag) { return target }
        let target = make(step, from: state)
        edges.insert(target, for: tag)
        if step.op == .child { states[state].childNames.insert(step.key.rawValue) }
        if step.edge == .attempt {
            let next = states[state].firstAttempt
            let attempt = attempts.insert(Attempt(step: step, target: target, next: next))
            if next != .none { attempts[next].previous = attempt }
            states[state].firstAttempt = attempt
            origins[target.origin].value = UInt64(attempt.rawValue)
        }
        return target
    }

    private mutating func attributeTest(of name: NameKey, in state: StateIndex) -> AttributeTestIndex {
        let tag = EdgeTag(name.rawValue, from: EdgeOrigin(attributesOf: state))
        if let known = edges.target(tag) { return AttributeTestIndex(rawValue: known.rawValue) }
        let index = attributeTests.insert(AttributeTest(name: name))
        states[state].attributeTestCount += 1
        states[state].attributeNames.insert(name.rawValue)
        edges.insert(StateIndex(rawValue: index.rawValue), for: tag)
        return index
    }

    private mutating func target(
        of value: UnsafeBufferPointer<UInt8>, _ step: Step, from state: StateIndex
    ) -> StateIndex {
        let test = attributeTest(of: step.key, in: state)
        let hash = hash(ofValue: value)
        if let target = target(ofValueHash: hash, test) { return target }
        let target = make(step, value: hash, from: state)
        attributeTests[test].valueCount += 1
        attributeTests[test].lengths |= AttributeTest.lengthBit(value.count)
        if attributeTests[test].valueCount > AttributeTest.fewValues { hashValues(of: test) }
        if attributeTests[test].isHashed {
            edges.insert(target, for: EdgeTag(hash, from: EdgeOrigin(test)))
        } else {
            let edge = ValueEdge(
                fingerprint: ValueFingerprint(value), hash: hash, target: target, next: attributeTests[test].firstValue)
            attributeTests[test].firstValue = values.insert(edge)
        }
        return target
    }

    private func target(ofValueHash hash: UInt64, _ test: AttributeTestIndex) -> StateIndex? {
        if attributeTests[test].isHashed { return edges.target(EdgeTag(hash, from: EdgeOrigin(test))) }
        var index = attributeTests[test].firstValue
        while index != .none {
            if values[index].hash == hash { return values[index].target }
            index = values[index].next
        }
        return nil
    }

    /// Moves the values of a test to the hash table, when they are too many to compare.
    private mutating func hashValues(of test: AttributeTestIndex) {
        if attributeTests[test].isHashed { return }
        attributeTests[test].isHashed = true
        var index = attributeTests[test].firstValue
        while index != .none {
            edges.insert(values[index].target, for: EdgeTag(values[index].hash, from: EdgeOrigin(test)))
            values.vacate(index)
            index = values[index].next
        }
        attributeTests[test].firstValue = .none
    }

    // MARK: Removing

    /// Removes a state that no query needs any more, with the edge to it.
    mutating func detach(_ state: StateIndex) {
        let origin = origins[state.origin]
        let (parent, step) = (origin.parent, origin.step)
        states[parent].edgeCount -= 1
        if step.op == .child {
            states[parent].childEdgeCount -= 1
            if states[parent].childEdgeCount == 0 { states[parent].childNames = NameFilter() }
        }
        switch step.edge {
        case .key: edges.remove(EdgeTag(step.key.rawValue, from: EdgeOrigin(parent, step)))
        case .children:
            states[parent][keyPath: step.childrenPlace] = .none
            states[parent].kinds.remove(step.edgeKind)
        case .attribute:
            let test = attributeTest(of: step.key, in: parent)
            attributeTests[test].exists = .none
            removeIfUnused(test, from: parent)
        case .value:
            let test = attributeTest(of: step.key, in: parent)
            removeValue(hash: origin.value, from: test)
            removeIfUnused(test, from: parent)
        case .attempt:
            edges.remove(EdgeTag(step.key.rawValue, from: EdgeOrigin(parent, step)))
            remove(AttemptIndex(rawValue: UInt32(truncatingIfNeeded: origin.value)), from: parent)
        case nil: preconditionFailure("the root is never removed")
        }
        states.vacate(state)
        origins.vacate(state.origin)
    }

    private mutating func removeValue(hash: UInt64, from test: AttributeTestIndex) {
        attributeTests[test].valueCount -= 1
        if attributeTests[test].isHashed { return edges.remove(EdgeTag(hash, from: EdgeOrigin(test))) }
        var previous = ValueEdgeIndex.none
        var index = attributeTests[test].firstValue
        while values[index].hash != hash {
            previous = index
            index = values[index].next
        }
        if previous == .none {
            attributeTests[test].firstValue = values[index].next
        } else {
            values[previous].next = values[index].next
        }
        values.vacate(index)
    }

    private mutating func removeIfUnused(_ test: AttributeTestIndex, from state: StateIndex) {
        guard attributeTests[test].edgeCount == 0 else { return }
        states[state].attributeTestCount -= 1
        if states[state].attributeTestCount == 0 { states[state].attributeNames = NameFilter() }
        edges.remove(EdgeTag(attributeTests[test].name.rawValue, from: EdgeOrigin(attributesOf: state)))
        attributeTests.vacate(test)
    }

    private mutating func remove(_ attempt: AttemptIndex, from state: StateIndex) {
        let record = attempts[attempt]
        if record.next != .none { attempts[record.next].previous = record.previous }
        if record.previous == .none {
            states[state].firstAttempt = record.next
        } else {
            attempts[record.previous].next = record.next
        }
        attempts.vacate(attempt)
    }
}

extension Step {
    /// Where a state has the edge to all children, or to those in the element's own namespace.
    fileprivate var childrenPlace: WritableKeyPath<TrieState, StateIndex> {
        test == .any ? \.anyChild : \.anyChildInNamespace
    }
}
