// Child elements as members: values in their texts or attributes, payloads, flags, and texts in several languages.

public import XMLTree

extension PayloadReader {
    /// Whether the element has a child element of this name.
    public func flag(_ name: XMLName) -> Bool {
        child(name, after: nil) != nil
    }

    // MARK: Values

    /// The text of a child element, or one of its attributes, as a value; `nil` without the element.
    @inlinable
    public func child<Value: PayloadValue>(
        _ name: XMLName, attribute: XMLName? = nil
    ) throws(PayloadError) -> Value? {
        guard let child = try onlyChild(name) else { return nil }
        return try value(at: child, attribute)
    }

    /// The text of a child element, or one of its attributes, as a value.
    @inlinable
    public func child<Value: PayloadValue>(
        _ name: XMLName, attribute: XMLName? = nil
    ) throws(PayloadError) -> Value {
        guard let value: Value = try child(name, attribute: attribute) else {
            throw error(missing: name.description)
        }
        return value
    }

    /// The text of a child element, or one of its attributes, as a value, or a default without the element.
    @inlinable
    public func child<Value: PayloadValue>(
        _ name: XMLName, attribute: XMLName? = nil, default other: Value
    ) throws(PayloadError) -> Value {
        try child(name, attribute: attribute) ?? other
    }

    /// The text of a child element, or one of its attributes, as a value: `nil` without the element, whatever its value
    /// in the source is.
    @inlinable
    public func child<Value: PayloadValue>(
        _ name: XMLName, attribute: XMLName? = nil, default other: Value?
    ) throws(PayloadError) -> Value? {
        try child(name, attribute: attribute)
    }

    /// The texts of all child elements of this name, or their attributes, as values, or a default if there are none.
    @inlinable
    public func child<Value: PayloadValue>(
        _ name: XMLName, attribute: XMLName? = nil, default others: [Value] = []
    ) throws(PayloadError) -> [Value] {
        var values: [Value] = []
        var child = child(name, after: nil)
        while let found = child {
            values.append(try value(at: found, attribute))
            child = self.child(name, after: found)
        }
        return values.isEmpty ? others : values
    }

    @inlinable
    func value<Value: PayloadValue>(at child: NodeIndex, _ attribute: XMLName?) throws(PayloadError) -> Value {
        guard let attribute else { return try value(ofTextAt: child) }
        guard let value: Value = try value(ofAttribute: attribute, at: child) else {
            throw missing(attribute, at: child)
        }
        return value
    }

    // MARK: Languages

    /// The texts of all child elements of this name, by their `xml:lang` (RFC 6121 §5.2.3), or a default if there are
    /// none.
    ///
    /// - Throws: `PayloadError` for two of one language.
    public func child(_ name: XMLName, default other: LocalizedText = LocalizedText()) throws(PayloadError)
        -> LocalizedText
    {
        let key = key(of: name)
        var texts = LocalizedText()
        var languages: Set<[UInt8]?> = []
        try forEachChild { child, found throws(PayloadError) in
            guard found == key else { return }
            let language = read { $0.language(at: child) }
            guard languages.insert(language.map { $0.utf8.map(\.lowered) }).inserted else {
                throw error(.several(2), at: child)
            }
            texts.append(read { $0.textString(of: child) }, language)
        }
        return texts.isEmpty ? other : texts
    }

    // MARK: Payloads

    /// The child element that is such a payload; `nil` if there is none.
    @inlinable
    public func child<P: Payload>() throws(PayloadError) -> P? {
        guard let child = try onlyChild(P.payloadName, or: P.alternativeNames) else { return nil }
        return try P(from: at(child))
    }

    /// The child element that is such a payload.
    @inlinable
    public func child<P: Payload>() throws(PayloadError) -> P {
        guard let payload: P = try child() else { throw error(missing: P.payloadName.description) }
        return payload
    }

    /// The child element that is such a payload, or a default if there is none.
    @inlinable
    public func child<P: Payload>(default other: P) throws(PayloadError) -> P { try child() ?? other }

    /// The child element that is such a payload: `nil` if there is none, whatever its value in the source is.
    @inlinable
    public func child<P: Payload>(default other: P?) throws(PayloadError) -> P? { try child() }

    /// All child elements that are such payloads, in order, or a default if there are none.
    @inlinable
    public func child<P: Payload>(default others: [P] = []) throws(PayloadError) -> [P] {
        var payloads: [P] = []
        let (name, alternatives) = (P.payloadName, P.alternativeNames)
        var child = child(name, or: alternatives, after: nil)
        while let found = child {
            payloads.append(try P(from: at(found)))
            child = self.child(name, or: alternatives, after: found)
        }
        return payloads.isEmpty ? others : payloads
    }

    // MARK: Walking

    /// The first child element of a name, or the next one after another.
    @usableFromInline
    func child(_ name: XMLName, after previous: NodeIndex?) -> NodeIndex? {
        let key = key(of: name)
        return nextChild(after: previous) { $0 == key }
    }

    @usableFromInline
    func child(_ name: PayloadName, or others: [PayloadName], after previous: NodeIndex?) -> NodeIndex? {
        let key = name.key
        if others.isEmpty { return nextChild(after: previous) { $0 == key } }
        return nextChild(after: previous) { found in found == key || others.contains { $0.key == found } }
    }

    /// The one child element of a name.
    @usableFromInline
    func onlyChild(_ name: XMLName) throws(PayloadError) -> NodeIndex? {
        let key = key(of: name)
        return try onlyChild(where: { $0 == key })
    }

    @usableFromInline
    func onlyChild(_ name: PayloadName, or others: [PayloadName]) throws(PayloadError) -> NodeIndex? {
        let key = name.key
        if others.isEmpty { return try onlyChild(where: { $0 == key }) }
        return try onlyChild(where: { found in found == key || others.contains { $0.key == found } })
    }

    /// The one child element whose name matches.
    func onlyChild(where isMatch: (NameKey) -> Bool) throws(PayloadError) -> NodeIndex? {
        guard let first = nextChild(after: nil, where: isMatch) else { return nil }
        guard var last = nextChild(after: first, where: isMatch) else { return first }
        var count = 2
        while let next = nextChild(after: last, where: isMatch) { (last, count) = (next, count + 1) }
        throw error(.several(count), at: first)
    }

    @inline(__always)
    func nextChild(after previous: NodeIndex?, where isMatch: (NameKey) -> Bool) -> NodeIndex? {
        if node == .none { return nil }
        return read { view in
            var child = previous.map { view[$0].next } ?? view[node].firstChild
            while child != .none, !isMatch(view[child].key) { child = view[child].next }
            return child == .none ? nil : child
        }
    }

    func forEachChild(_ body: (NodeIndex, NameKey) throws(PayloadError) -> Void) throws(PayloadError) {
        if node == .none { return }
        var child = read { $0[node].firstChild }
        while child != .none {
            let (key, next) = read { ($0[child].key, $0[child].next) }
            try body(child, key)
            child = next
        }
    }
}

extension TreeView {
    /// The `xml:lang` of an element, or of the nearest element around it that has one (RFC 6120 §4.7.4).
    fileprivate func language(at node: NodeIndex) -> String? {
        var current = node
        while current != .none {
            if let value = attribute(expanded: .language, of: current) {
                // The empty value means no language (XML 1.0 §2.12).
                let text = string(value)
                return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
            }
            current = self[current].parent
        }
        return nil
    }
}

extension NameKey {
    fileprivate static let language = xmlNamespace + NameKey(.local, "lang")
}
