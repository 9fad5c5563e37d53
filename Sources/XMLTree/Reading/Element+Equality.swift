// Equality of trees: prefixes, declarations and the order of attributes do not count. Everything else does.

extension Element: Hashable {
    /// Whether both subtrees have the same names, namespaces, attributes, text and children in the same order, code
    /// point by code point. Linear in the smaller subtree, for common numbers of attributes.
    public static func == (one: Element, other: Element) -> Bool {
        one.isSame(as: other) || one.read { one in other.read { one.isEqual(to: $0) } }
    }

    /// Hashes the element's name, attributes and text, not its children. Constant cost per level matters more than
    /// different hashes for stanzas that differ only in their descendants.
    public func hash(into hasher: inout Hasher) {
        read { reader in
            hasher.combine(reader.view[reader.index].key)
            hasher.combine(reader.text)
            var sum: UInt64 = 0
            for record in reader.view.attributeRecords(of: reader.index)
            where reader.view[record.name].kind == .attribute {
                sum &+= reader.view[record.name].expanded.rawValue
                sum &+= NameKey(.local, reader.view.string(record.value)).rawValue
            }
            hasher.combine(sum)
        }
    }
}

extension ElementReader {
    /// Compares two subtrees without recursion.
    func isEqual(to other: ElementReader) -> Bool {
        var walk = TreeWalk(view, from: index)
        var otherWalk = TreeWalk(other.view, from: other.index)
        while let step = walk.next(), let otherStep = otherWalk.next() {
            switch (step, otherStep) {
            case (.enter(let node), .enter(let otherNode)):
                guard view[node].key == other.view[otherNode].key,
                    view.string(view[node].text).equals(other.view.string(other.view[otherNode].text)),
                    hasEqualAttributes(node, to: other, otherNode)
                else { return false }
            case (.leave(let node), .leave(let otherNode)):
                guard node != index else { return otherNode == other.index }
                guard view.string(view[node].tail).equals(other.view.string(other.view[otherNode].tail)) else {
                    return false
                }
            default:
                return false
            }
        }
        // Equal steps end together, at the end tag of the top element.
        return true
    }

    /// With more attributes than this, a table pays.
    private static var linearAttributeLimit: Int { 16 }

    private func hasEqualAttributes(_ node: NodeIndex, to other: ElementReader, _ otherNode: NodeIndex) -> Bool {
        let records = view.attributeRecords(of: node)
        let otherRecords = other.view.attributeRecords(of: otherNode)
        var count = 0
        for record in records where view[record.name].kind == .attribute { count += 1 }
        for record in otherRecords where other.view[record.name].kind == .attribute { count -= 1 }
        guard count == 0 else { return false }
        // No element has two attributes of one name, so one direction suffices.
        if records.count <= Self.linearAttributeLimit {
            return records.allSatisfy { record in
                guard view[record.name].kind == .attribute else { return true }
                let value = other.view.attribute(expanded: view[record.name].expanded, of: otherNode)
                return value.map { other.view.string($0).equals(view.string(record.value)) } ?? false
            }
        }
        var places: [NameKey: Int] = [:]
        for (place, record) in otherRecords.enumerated() { places[other.view[record.name].expanded] = place }
        return records.allSatisfy { record in
            guard view[record.name].kind == .attribute else { return true }
            guard let place = places[view[record.name].expanded] else { return false }
            return other.view.string(otherRecords[place].value).equals(view.string(record.value))
        }
    }
}
