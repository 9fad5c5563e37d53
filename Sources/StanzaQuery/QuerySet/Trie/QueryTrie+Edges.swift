// Finds, makes and removes the edges of the trie.

import XMLTree

extension QueryTrie {
    // MARK: Finding and making

    /// The state that an edge leads to. The trie makes both if they do not exist.
    ///
    /// - Parameters:
    ///   - program: The program whose path has the edge.
    ///   - step: The step of the edge.
    mutating func target(
        of edge: PathEdge, from state: StateIndex, _ program: Program, at step: Int
    ) -> StateIndex {
        switch edge {
        case .named(let kind, let name): return target(of: kind, name, from: state)
        case .anyChild:
            if states[state].anyChild == .none {
                states[state].anyChild = make(.anyChild, from: state)
                states[state].kinds.insert(.anyChild)
            }
            return states[state].anyChild
        case .anyChildInNamespace:
            if states[state].anyChildInNamespace == .none {
                states[state].anyChildInNamespace = make(.anyChildInNamespace, from: state)
                states[state].kinds.insert(.anyChildInNamespace)
            }
            return states[state].anyChildInNamespace
        case .hasAttribute(let name):
            let test = attributeTest(of: name, in: state)
            if attributeTests[test].exists == .none {
                attributeTests[test].exists = make(.hasAttribute(test), from: state)
            }
            return attributeTests[test].exists
        case .attributeEquals(let name, let value):
            return target(of: value, attributeTest(of: name, in: state), from: state)
        case .check(let content): return target(of: content, from: state, program, at: step)
        }
    }

    // Seven callers: copies of this in each cost the compiler much time.
    @inline(never)
    private mutating func make(_ edge: StateOrigin.Edge, from parent: StateIndex) -> StateIndex {
        let state = states.insert(TrieState())
        // Both tables grow and shrink together, so both indexes are the same.
        let origin = origins.insert(StateOrigin(parent: parent, edge: edge))
        assert(origin == state.origin, "a state and its origin have drifted apart")
        let sibling = origins[parent.origin].firstChild
        origins[origin].nextSibling = sibling
        if sibling != .none { origins[sibling.origin].previousSibling = state }
        origins[parent.origin].firstChild = state
        states[parent].edgeCount += 1
        if edge.leadsToChildren { states[parent].childEdgeCount += 1 }
        return state
    }

    private mutating func target(of kind: NamedTest, _ name: NameKey, from state: StateIndex) -> StateIndex {
        let tag = EdgeTag(name.rawValue, from: EdgeOrigin(state, kind))
        if let target = edges.target(tag) { return target }
        let target = make(.named(kind, name), from: state)
        edges.insert(target, for: tag)
        states[state].kinds.insert(EdgeKinds(kind))
        if kind.isChild { states[state].childNames.insert(name.rawValue) }
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
        of value: UnsafeBufferPointer<UInt8>, _ test: AttributeTestIndex, from state: StateIndex
    ) -> StateIndex {
        let hash = hash(ofValue: value)
        if let target = target(ofValueHash: hash, test) { return target }
        let target = make(.attributeEquals(test, hash: hash), from: state)
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

    private mutating func target(
        of content: CheckContent, from state: StateIndex, _ program: Program, at step: Int
    ) -> StateIndex {
        let key = CheckKey(state: state, content: content)
        if let index = checkIndexes[key] { return checks[index].target }
        let test: Check.Test =
            switch content {
            case .hasText: .hasText
            case .isInInherited: .isInInherited
            case .isNotNamed(let name): .isNotNamed(name)
            case .filter: .part(insert(program.filter(at: step)))
            }
        // The edge's origin is the check, whose target is the state that the edge leads to.
        let index = checks.insert(Check(test: test, target: .none))
        let target = make(.check(index), from: state)
        let next = states[state].firstCheck
        checks[index] = Check(test: test, target: target, next: next)
        if next != .none { checks[next].previous = index }
        states[state].firstCheck = index
        checkIndexes[key] = index
        if index.offset < checkKeys.count { checkKeys[index.offset] = key } else { checkKeys.append(key) }
        return target
    }

    // MARK: Removing

    /// Removes a state that no query needs any more, with the edge to it.
    mutating func detach(_ state: StateIndex) {
        let origin = origins[state.origin]
        let parent = origin.parent
        if origin.nextSibling != .none { origins[origin.nextSibling.origin].previousSibling = origin.previousSibling }
        if origin.previousSibling == .none {
            origins[parent.origin].firstChild = origin.nextSibling
        } else {
            origins[origin.previousSibling.origin].nextSibling = origin.nextSibling
        }
        states[parent].edgeCount -= 1
        if origin.edge.leadsToChildren {
            states[parent].childEdgeCount -= 1
            if states[parent].childEdgeCount == 0 { states[parent].childNames = NameFilter() }
        }
        switch origin.edge {
        case .none: preconditionFailure("the root is never removed")
        case .named(let kind, let name): edges.remove(EdgeTag(name.rawValue, from: EdgeOrigin(parent, kind)))
        case .anyChild:
            states[parent].anyChild = .none
            states[parent].kinds.remove(.anyChild)
        case .anyChildInNamespace:
            states[parent].anyChildInNamespace = .none
            states[parent].kinds.remove(.anyChildInNamespace)
        case .hasAttribute(let test):
            attributeTests[test].exists = .none
            removeIfUnused(test, from: parent)
        case .attributeEquals(let test, let hash):
            removeValue(hash: hash, from: test)
            removeIfUnused(test, from: parent)
        case .check(let check): remove(check, from: parent)
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

    private mutating func remove(_ check: CheckIndex, from state: StateIndex) {
        let record = checks[check]
        if record.next != .none { checks[record.next].previous = record.previous }
        if record.previous == .none {
            states[state].firstCheck = record.next
        } else {
            checks[record.previous].next = record.next
        }
        if case .part(let part) = record.test { remove(part) }
        checkIndexes[checkKeys[check.offset]] = nil
        checks.vacate(check)
    }
}

extension StateOrigin.Edge {
    /// Whether the edge leads to a child.
    var leadsToChildren: Bool {
        switch self {
        case .named(let kind, _): kind.isChild
        case .anyChild, .anyChildInNamespace: true
        case .none, .hasAttribute, .attributeEquals, .check: false
        }
    }
}
