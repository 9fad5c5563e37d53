// Names, text and attribute rows of an editable tree. MutableElement checks the strings.

/// The place of a run of text.
enum TextPlace {
    /// Before the first child of this element.
    case before(NodeIndex)
    /// After the end tag of this element.
    case behind(NodeIndex)
}

extension MutableTree {
    // MARK: Names

    @inline(never)
    func intern(_ kind: NameKind, prefix: String = "", local: String, namespace: String?) -> NameIndex {
        makeNamesOwn()
        // Nested `withBytes` would be eight copies of the innermost code.
        var (prefix, local, namespace) = (prefix, local, namespace ?? "")
        return prefix.withUTF8 { prefix in
            local.withUTF8 { local in
                namespace.withUTF8 { names.intern(kind, prefix: prefix, local: local, namespace: $0) }
            }
        }
    }

    func rename(_ node: NodeIndex, to name: NameIndex) {
        nodes.base[node.offset].name = name
        nodes.base[node.offset].key = names.table.records[name.offset].expanded
    }

    /// Sets the namespace of `top`, and of each descendant that was built without one, to its parent's. A parent that
    /// has not received its own namespace yet gives none.
    func resolveNamespaces(from top: NodeIndex) {
        var node = top
        while true {
            let parent = nodes.base[node.offset].parent
            if links.base[node.offset].inheritsNamespace, parent != .none,
                !links.base[parent.offset].inheritsNamespace
            {
                // It has no prefix.
                makeNamesOwn()
                let name = nodes.base[node.offset].name
                rename(node, to: names.intern(name, inNamespaceOf: nodes.base[parent.offset].name))
                links.base[node.offset].inheritsNamespace = false
                if nodes.base[node.offset].firstChild != .none {
                    node = nodes.base[node.offset].firstChild
                    continue
                }
            }
            // Below an element with its own namespace no element waits for one.
            while node != top, nodes.base[node.offset].next == .none { node = nodes.base[node.offset].parent }
            if node == top { return }
            node = nodes.base[node.offset].next
        }
    }

    // MARK: Text

    func text(at place: TextPlace) -> ByteReference {
        switch place {
        case .before(let node): nodes.base[node.offset].text
        case .behind(let node): nodes.base[node.offset].tail
        }
    }

    private func setReference(_ reference: ByteReference, at place: TextPlace) {
        switch place {
        case .before(let node): nodes.base[node.offset].text = reference
        case .behind(let node): nodes.base[node.offset].tail = reference
        }
    }

    /// Replaces a run with one from outside this arena.
    func setText(_ text: UnsafeBufferPointer<UInt8>, at place: TextPlace) {
        discard(self.text(at: place))
        setReference(.empty, at: place)
        setReference(store(text), at: place)
    }

    /// Appends text from outside this arena to an element, after its last child.
    func addText(_ text: UnsafeBufferPointer<UInt8>, to node: NodeIndex) {
        let last = links.base[node.offset].lastChild
        append(text, to: last == .none ? .before(node) : .behind(last))
    }

    /// Appends text from outside this arena to a run. Linear in the new text if the tree has written nothing after the
    /// run; otherwise linear in both.
    func append(_ addition: UnsafeBufferPointer<UInt8>, to place: TextPlace) {
        guard let added = addition.baseAddress, addition.count > 0 else { return }
        let reference = text(at: place)
        // Room for both, with their length.
        bytes.reserve(view.string(reference).count + addition.count + 10)
        let old = view.string(reference)
        let size = old.count + addition.count
        let oldPrefix = LengthPrefix.size(of: old.count)
        let isLast = !reference.isEmpty && Int(reference.rawValue) + oldPrefix + old.count == bytes.count
        let start = isLast ? Int(reference.rawValue) : bytes.count
        let prefix = LengthPrefix.size(of: size)
        let text = bytes.base + start + prefix
        if let oldStart = old.baseAddress, text != oldStart {
            UnsafeMutableRawPointer(text).copyMemory(from: oldStart, byteCount: old.count)
        }
        (text + old.count).update(from: added, count: addition.count)
        _ = LengthPrefix.write(size, to: bytes.base + start)
        if !reference.isEmpty { live.bytes -= oldPrefix + old.count }
        live.bytes += prefix + size
        bytes.extend(to: start + prefix + size)
        setReference(ByteReference(rawValue: UInt32(start)), at: place)
    }

    /// Stores a string from outside this arena.
    func store(_ text: UnsafeBufferPointer<UInt8>) -> ByteReference {
        guard let start = text.baseAddress, text.count > 0 else { return .empty }
        let size = LengthPrefix.size(of: text.count) + text.count
        bytes.reserve(size)
        let reference = ByteReference(rawValue: UInt32(bytes.count))
        LengthPrefix.write(text.count, to: bytes.base + bytes.count).update(from: start, count: text.count)
        bytes.extend(to: bytes.count + size)
        live.bytes += size
        return reference
    }

    /// Counts a string as not used any more.
    private func discard(_ reference: ByteReference) {
        if reference.isEmpty { return }
        let count = view.string(reference).count
        live.bytes -= LengthPrefix.size(of: count) + count
    }

    // MARK: Attributes

    /// Adds an attribute with a plain name to an element of this tree, whose names are its own.
    func addPlainAttribute(_ name: XMLName, _ value: String, to node: NodeIndex) {
        let record = name.text.withBytes { names.intern(.attribute, prefix: .empty, local: $0, namespace: .empty) }
        // Equal names have one record in a tree that interns names.
        if view.attributeRecords(of: node).contains(where: { $0.name == record }) {
            XMLTreeError(.duplicateAttribute, in: name.text).stop()
        }
        value.withXMLBytes { appendAttribute(record, value: $0, to: node) }
    }

    /// Appends an attribute to an element's row.
    func appendAttribute(_ name: NameIndex, value: UnsafeBufferPointer<UInt8>, to node: NodeIndex) {
        let value = store(value)
        let count = Int(nodes.base[node.offset].attributeCount)
        // The last row grows in its place.
        if !hasLastRow(node) {
            let (row, start) = (Int(nodes.base[node.offset].attributes), attributes.count)
            for offset in 0..<count { attributes.append(attributes[row + offset]) }
            nodes.base[node.offset].attributes = UInt32(start)
        }
        attributes.append(AttributeRecord(name: name, value: value))
        live.attributes += 1
        if view[name].kind == .declaration { hasDeclarations = true }
        nodes.base[node.offset].attributeCount += 1
    }

    /// Whether an element has attributes, and their row is the last one in the heap.
    private func hasLastRow(_ node: NodeIndex) -> Bool {
        let count = Int(nodes.base[node.offset].attributeCount)
        return count > 0 && Int(nodes.base[node.offset].attributes) + count == attributes.count
    }

    func setValue(_ value: UnsafeBufferPointer<UInt8>, ofRecord position: Int, of node: NodeIndex) {
        let record = Int(nodes.base[node.offset].attributes) + position
        discard(attributes.base[record].value)
        attributes.base[record].value = .empty
        let reference = store(value)
        attributes.base[record].value = reference
    }

    /// Removes one record. The records after it move up.
    func removeAttribute(at position: Int, of node: NodeIndex) {
        let row = attributes.base + Int(nodes.base[node.offset].attributes)
        let count = Int(nodes.base[node.offset].attributeCount)
        discard(row[position].value)
        (row + position).update(from: row + position + 1, count: count - position - 1)
        nodes.base[node.offset].attributeCount -= 1
        live.attributes -= 1
    }
}
