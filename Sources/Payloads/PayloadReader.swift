// Reads the members of a payload in place: no handle, no string and no array beyond the members' values.
//
// The generic functions are inlinable, so that the payload's module specializes them: an unspecialized one looks up the
// metadata of its optionals, which took two thirds of the time. All other work is in functions that are not generic.
//
// The compiler chooses an overload by the type of the member. So the macro `@Payload`, which sees types as they are
// written, and initializers by hand call the same functions. PayloadReader+Children.swift reads child elements,
// PayloadReader+Content.swift all other content and queries.

public import FormModel
public import StanzaQuery
public import XMLTree

/// The element that a payload is read from.
///
/// Each function that reads a value has a form for a value that must exist, for an optional, and for a value with a
/// default. The functions throw `PayloadError`: for a missing value, a text of another type, and several child elements
/// where one is expected. Names without a namespace are those of attributes without one, and of child elements in the
/// element's own namespace; others are written `{namespace}name`.
public struct PayloadReader {
    /// Holds the tree.
    @usableFromInline let place: FormPlace
    /// The element; none for a wrapper that is missing.
    @usableFromInline let node: NodeIndex
    /// The missing wrapper, and the element that it is missing in.
    private let missing: (name: XMLName, parent: NodeIndex)?
    /// The attributes that choose cases: the payload of the case does not refuse them.
    private(set) var choosing: [String] = []

    /// The reader of an element, frozen or editable.
    @inlinable
    public init(_ element: some QueryableElement) { self.init(at: element._formPlace) }

    @usableFromInline
    init(at place: FormPlace) {
        self.init(place, place.node)
    }

    private init(_ place: FormPlace, _ node: NodeIndex, missing: (XMLName, NodeIndex)? = nil) {
        (self.place, self.node, self.missing) = (place, node, missing)
    }

    /// The reader of another element of the tree.
    @usableFromInline
    func at(_ node: NodeIndex) -> PayloadReader { PayloadReader(place, node) }

    /// The element itself, for content that the other functions do not read: in place in a frozen tree, a copy in an
    /// editable one. For a wrapper that is missing, the element that should have it.
    public var element: Element { element(at: node == .none ? (missing?.parent ?? place.node) : node) }

    func element(at node: NodeIndex) -> Element {
        switch place.owner {
        case .frozen(let element): element.element(at: node)
        case .editable(let element): element.element(at: node).freeze()
        }
    }

    /// The key of the element's name; `nil` for a wrapper that is missing.
    var key: NameKey? { node == .none ? nil : read { $0[node].key } }

    @inline(__always)
    func read<Result>(_ body: (TreeView) -> Result) -> Result {
        withExtendedLifetime(place) { body(place.view) }
    }

    /// The child element that only wraps others: the reader of its content. Without it, no child element is read.
    ///
    /// ```swift
    /// let preKeys: [Data] = try reader.within("prekeys").child("pk")
    /// ```
    ///
    /// - Throws: `PayloadError` for several child elements of this name.
    public func within(_ name: XMLName) throws(PayloadError) -> PayloadReader {
        // The outer wrapper is the missing one.
        if node == .none { return self }
        if let child = try onlyChild(name) { return at(child) }
        return PayloadReader(place, .none, missing: (name, node))
    }
}

// MARK: Attributes and text

extension PayloadReader {
    /// The value of an attribute that may be missing.
    @inlinable
    public func attribute<Value: PayloadValue>(_ name: XMLName) throws(PayloadError) -> Value? {
        try value(ofAttribute: name, at: node)
    }

    /// The value of an attribute.
    @inlinable
    public func attribute<Value: PayloadValue>(_ name: XMLName) throws(PayloadError) -> Value {
        guard let value: Value = try value(ofAttribute: name, at: node) else {
            throw missing(name, at: node)
        }
        return value
    }

    /// The value of an attribute, or a default if it is missing.
    @inlinable
    public func attribute<Value: PayloadValue>(_ name: XMLName, default other: Value) throws(PayloadError) -> Value {
        try value(ofAttribute: name, at: node) ?? other
    }

    /// The value of an attribute that may be missing: then it is `nil`, whatever its value in the source is.
    @inlinable
    public func attribute<Value: PayloadValue>(_ name: XMLName, default other: Value?) throws(PayloadError) -> Value? {
        try value(ofAttribute: name, at: node)
    }

    /// The element's own text as a value; `nil` if it has none.
    @inlinable
    public func text<Value: PayloadValue>() throws(PayloadError) -> Value? {
        hasText ? try value(ofTextAt: node) : nil
    }

    /// The element's own text as a value. An element without text has the empty text.
    @inlinable
    public func text<Value: PayloadValue>() throws(PayloadError) -> Value { try value(ofTextAt: node) }

    /// The element's own text as a value, or a default if it has none.
    @inlinable
    public func text<Value: PayloadValue>(default other: Value) throws(PayloadError) -> Value {
        hasText ? try value(ofTextAt: node) : other
    }

    /// The element's own text as a value: `nil` if it has none, whatever its value in the source is.
    @inlinable
    public func text<Value: PayloadValue>(default other: Value?) throws(PayloadError) -> Value? { try text() }

    @inlinable
    func value<Value: PayloadValue>(ofAttribute name: XMLName, at node: NodeIndex) throws(PayloadError) -> Value? {
        defer { withExtendedLifetime(place) {} }
        guard let bytes = bytes(ofAttribute: name, at: node) else { return nil }
        guard let value = Value._value(bytes) else {
            throw invalid(Value.payloadExpectation, attribute: name, at: node)
        }
        return value
    }

    @inlinable
    func value<Value: PayloadValue>(ofTextAt node: NodeIndex) throws(PayloadError) -> Value {
        if node == .none { throw error(missing: "#") }
        defer { withExtendedLifetime(place) {} }
        let value = textBytes(at: node).map { Value._value($0) } ?? Value(payloadText: joinedText(at: node))
        guard let value else { throw invalid(Value.payloadExpectation, attribute: nil, at: node) }
        return value
    }

    /// The value of an attribute. The bytes live as long as the reader.
    @usableFromInline
    func bytes(ofAttribute name: XMLName, at node: NodeIndex) -> UnsafeBufferPointer<UInt8>? {
        if node == .none { return nil }
        return read { view in
            name.description.withBytes { ElementReader(view: view, index: node, bindings: nil).value(ofAttribute: $0) }
        }
    }

    /// The text of an element; `nil` if it is in several pieces. The bytes live as long as the reader.
    @usableFromInline
    func textBytes(at node: NodeIndex) -> UnsafeBufferPointer<UInt8>? {
        read { view in
            var (run, child) = (view[node].text, view[node].firstChild)
            while child != .none {
                let tail = view[child].tail
                if !tail.isEmpty {
                    if !run.isEmpty { return nil }
                    run = tail
                }
                child = view[child].next
            }
            return view.string(run)
        }
    }

    @usableFromInline
    func joinedText(at node: NodeIndex) -> String { read { $0.textString(of: node) } }

    @usableFromInline var hasText: Bool { node != .none && read { $0.hasText(node) } }
}

// MARK: Names

extension PayloadReader {
    /// The key of a child element's name.
    func key(of name: XMLName) -> NameKey {
        name.description.withBytes { bytes in
            if let (namespace, local) = bytes.clarkParts {
                return NameKey(.namespace, namespace) + NameKey(.local, local)
            }
            if bytes.starts(with: "xml:".utf8) {
                return .xmlNamespace + NameKey(.local, UnsafeBufferPointer(rebasing: bytes[4...]))
            }
            let parent = node == .none ? (missing?.parent ?? place.node) : node
            return read { $0.name(of: parent).namespace } + NameKey(.local, bytes)
        }
    }

    /// Whether the element has this name. For the macro `@Payload`.
    public func _isNamed(_ name: XMLName) -> Bool { key == key(of: name) }

    /// Whether the element is one of these payloads. For the macro `@Payload`.
    @inlinable
    public func _isNamed(as type: (some Payload).Type) -> Bool { isNamed(type.payloadName, or: type.alternativeNames) }

    @usableFromInline
    func isNamed(_ name: PayloadName, or others: [PayloadName]) -> Bool {
        let key = key
        return name.key == key || others.contains { $0.key == key }
    }

    /// The reader of the payload of a case. For the macro `@Payload`.
    public func _chosen(by attribute: XMLName) -> PayloadReader {
        var reader = self
        reader.choosing.append(attribute.description)
        return reader
    }

    /// Whether the element has an attribute of this value; `nil` for none. For the macro `@Payload`.
    public func _has(_ value: String?, for attribute: XMLName) -> Bool {
        withExtendedLifetime(place) {
            let found = bytes(ofAttribute: attribute, at: node)
            guard let found, let value else { return found == nil && value == nil }
            return found.elementsEqual(value.utf8)
        }
    }
}

// MARK: Errors

extension PayloadReader {
    @usableFromInline
    func missing(_ attribute: XMLName, at node: NodeIndex) -> PayloadError {
        node == .none ? error(missing: "@\(attribute)") : error(.missing, at: node, suffix: "@\(attribute)")
    }

    /// The error for the value of an attribute, or for the text of an element.
    @usableFromInline
    func invalid(_ expected: String, attribute: XMLName?, at node: NodeIndex) -> PayloadError {
        error(.invalid(expected: expected), at: node, suffix: attribute.map { "@\($0)" } ?? "#")
    }

    /// The error at an element, or at a member of it.
    func error(_ reason: PayloadError.Reason, at node: NodeIndex, suffix: String = "") -> PayloadError {
        let own = self.node == .none ? (missing?.parent ?? place.node) : self.node
        return read { view in
            PayloadError(
                reason, element: view.expandedName(of: own), path: view.path(to: node == .none ? own : node) + suffix)
        }
    }

    /// The error for a child element that is missing, or for the attribute or the text of a wrapper that is.
    @usableFromInline
    func error(missing child: String) -> PayloadError {
        error(.missing, at: missing?.parent ?? node, within: missing.map { [$0.name] } ?? [], child)
    }

    /// The error at a member of an element: an attribute, the text, or a child element, perhaps in wrappers.
    func error(
        _ reason: PayloadError.Reason, at node: NodeIndex, within wrappers: [XMLName], _ member: String
    ) -> PayloadError {
        read { view in
            let (own, isChild) = (view.path(to: node), !member.hasPrefix("@") && member != "#")
            var steps = wrappers.map(\.description)
            if own != "/" { steps.insert(own, at: 0) }
            if isChild { steps.append(member) }
            return PayloadError(
                reason, element: view.expandedName(of: node),
                path: (steps.isEmpty ? "/" : steps.joined(separator: "/")) + (isChild ? "" : member))
        }
    }

    /// The error for an element that is none of these payloads. For the macro `@Payload`, too.
    public func _noCase(of type: (some Payload).Type) -> PayloadError {
        error(.wrongElement(expected: type.expectedNames), at: node)
    }

    /// The error for an attribute that matches no case of a choice. For the macro `@Payload`.
    public func _noCase(of attribute: XMLName, expected: String) -> PayloadError {
        invalid(expected, attribute: attribute, at: node)
    }
}

extension Payload {
    static var expectedNames: String { ([payloadName] + alternativeNames).map(\.description).joined(separator: " or ") }
}

extension TreeView {
    func expandedName(of node: NodeIndex) -> String {
        let (namespace, name) = (namespace(of: node), String(decoding: localName(of: node), as: UTF8.self))
        return namespace.isEmpty ? name : "{\(String(decoding: namespace, as: UTF8.self))}\(name)"
    }

    /// The path from the root as a query: a name without a namespace has that of its parent (rule 3.3).
    func path(to node: NodeIndex) -> String {
        var names: [String] = []
        var current = node
        while self[current].parent != .none {
            let parent = self[current].parent
            let isInherited = name(of: current).namespace == name(of: parent).namespace
            let braces = isInherited ? "" : "{\(String(decoding: namespace(of: current), as: UTF8.self))}"
            names.append(braces + String(decoding: localName(of: current), as: UTF8.self))
            current = parent
        }
        return names.isEmpty ? "/" : names.reversed().joined(separator: "/")
    }
}
