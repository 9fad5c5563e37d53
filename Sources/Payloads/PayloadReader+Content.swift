// Members that are elements, forms and results of queries, and the content that no other member reads.

import DataForms
public import FormModel
public import StanzaQuery
public import XMLTree

// MARK: Forms

extension PayloadReader {
    /// The data form among the child elements (XEP-0004): `nil` if there is none, whatever its value in the source is.
    public func form(default _: DataForm? = nil) throws(PayloadError) -> DataForm? {
        guard let child = try onlyChild(where: { $0 == .form }) else { return nil }
        return DataForm(element(at: child))
    }

    /// The data form among the child elements (XEP-0004), or a default if there is none.
    public func form(default other: DataForm? = nil) throws(PayloadError) -> DataForm {
        let found: DataForm? = try form()
        guard let form = found ?? other else { throw error(missing: formName) }
        return form
    }

    /// All data forms among the child elements (XEP-0004), or a default if there are none.
    public func form(default others: [DataForm] = []) throws(PayloadError) -> [DataForm] {
        var forms: [DataForm] = []
        try forEachChild { child, key throws(PayloadError) in
            if key == .form, let form = DataForm(element(at: child)) { forms.append(form) }
        }
        return forms.isEmpty ? others : forms
    }

    /// The form with the FORM_TYPE of a structure: `nil` if there is none, whatever its value in the source is. Other
    /// forms are ignored.
    public func form<Form: DataFormConvertible>(default _: Form? = nil) throws(PayloadError) -> Form? {
        var found: NodeIndex?
        try forEachChild { child, key throws(PayloadError) in
            guard key == .form, let form = DataFormElement(element(at: child)),
                form.formType.isIdentical(to: Form.formType)
            else { return }
            if found != nil { throw error(.several(2), at: child) }
            found = child
        }
        guard let found else { return nil }
        do throws(FormDecodingError) {
            return try Form(form: element(at: found))
        } catch {
            throw self.error(.invalid(expected: "a form without this fault: \(error)"), at: found)
        }
    }

    /// The form with the FORM_TYPE of a structure, or a default if there is none. Other forms are ignored.
    public func form<Form: DataFormConvertible>(default other: Form? = nil) throws(PayloadError) -> Form {
        let found: Form? = try form()
        guard let form = found ?? other else { throw error(missing: formName) }
        return form
    }

    private var formName: String { "{jabber:x:data}x" }
}

extension NameKey {
    fileprivate static let form = NameKey(.namespace, "jabber:x:data") + NameKey(.local, "x")
}

// MARK: Elements

extension PayloadReader {
    /// The child element of a name; `nil` if there is none.
    public func child(_ name: XMLName) throws(PayloadError) -> Element? {
        try onlyChild(name).map { element(at: $0) }
    }

    /// The child element of a name: `nil` if there is none, whatever its value in the source is.
    public func child(_ name: XMLName, default other: Element?) throws(PayloadError) -> Element? { try child(name) }

    /// The child element of a name.
    public func child(_ name: XMLName) throws(PayloadError) -> Element {
        guard let element: Element = try child(name) else { throw error(missing: name.description) }
        return element
    }

    /// All child elements of a name, or a default if there are none.
    public func child(_ name: XMLName, default others: [Element] = []) throws(PayloadError) -> [Element] {
        let key = key(of: name)
        var elements: [Element] = []
        try forEachChild { child, found throws(PayloadError) in
            if found == key { elements.append(element(at: child)) }
        }
        return elements.isEmpty ? others : elements
    }
}

/// The names of the child elements that the other members read.
public struct KnownChildren {
    fileprivate var keys: [NameKey] = []
}

extension PayloadReader {
    /// The child elements of these names. For the macro `@Payload`.
    public func _known(_ names: XMLName...) -> KnownChildren { KnownChildren(keys: names.map(key)) }

    /// The child elements of a member's type. For the macro `@Payload`.
    public func _known<P: Payload>(as member: P) -> KnownChildren { known(P.self) }

    /// The child elements of a member's type. For the macro `@Payload`.
    public func _known<P: Payload>(as member: P?) -> KnownChildren { known(P.self) }

    /// The child elements of a member's type. For the macro `@Payload`.
    public func _known<P: Payload>(as member: [P]) -> KnownChildren { known(P.self) }

    private func known(_ type: (some Payload).Type) -> KnownChildren {
        KnownChildren(keys: [type.payloadName.key] + type.alternativeNames.map(\.key))
    }

    /// All other child elements. For the macro `@Payload`.
    public func _rest(except known: [KnownChildren]) throws(PayloadError) -> [Element] {
        var elements: [Element] = []
        try forEachChild { child, key throws(PayloadError) in
            if !known.contains(where: { $0.keys.contains(key) }) { elements.append(element(at: child)) }
        }
        return elements
    }

    /// The one other child element; `nil` if there is none. For the macro `@Payload`.
    public func _rest(except known: [KnownChildren]) throws(PayloadError) -> Element? {
        try onlyChild(where: { key in !known.contains { $0.keys.contains(key) } }).map { element(at: $0) }
    }

    /// The one other child element. For the macro `@Payload`.
    public func _rest(except known: [KnownChildren]) throws(PayloadError) -> Element {
        guard let element: Element = try _rest(except: known) else { throw error(missing: "*") }
        return element
    }

    /// Throws for attributes and child elements that no member reads, and for text. `xml:lang` and declarations of
    /// namespaces are allowed. For the macro `@Payload`.
    ///
    /// - Parameter children: The known ones; `nil` for any.
    public func _refuseOthers(attributes: [String], children: [KnownChildren]?, allowsText: Bool) throws(PayloadError) {
        if node == .none { return }
        let attributes = attributes + choosing
        for attribute in element.attributes {
            let name = attribute.namespace.map { "{\($0)}\(attribute.localName)" } ?? attribute.name
            let isKnown = attributes.contains { $0.isIdentical(to: name) || $0.isIdentical(to: attribute.name) }
            if !isKnown, attribute.namespace != XMLNamespace.xml {
                throw error(.unexpected, at: node, suffix: "@\(name)")
            }
        }
        if let children {
            try forEachChild { child, key throws(PayloadError) in
                if !children.contains(where: { $0.keys.contains(key) }) { throw error(.unexpected, at: child) }
            }
        }
        let isBlank = read { view in view.withText(of: node) { $0.allSatisfy { " \t\r\n".utf8.contains($0) } } }
        if !allowsText, !isBlank { throw error(.unexpected, at: node, suffix: "#") }
    }
}

extension XMLAttribute {
    fileprivate var localName: String {
        name.utf8.firstIndex(of: UInt8(ascii: ":")).map { String(name[name.utf8.index(after: $0)...]) } ?? name
    }
}

// MARK: Queries

extension PayloadReader {
    /// The first result of a query on the element. For the macro `@Payload`.
    public func _query<Output: QueryDecodable>(_ query: CheckedQuery<Output>) throws(PayloadError) -> Output? {
        try _query(query.query)
    }

    /// All results of a query on the element. For the macro `@Payload`.
    public func _query<Output: QueryDecodable>(_ query: CheckedQuery<Output>) throws(PayloadError) -> [Output] {
        try _query(query.query)
    }

    /// The first result of a query with a regular expression. For the macro `@Payload`.
    public func _query<Output: QueryDecodable>(_ query: Query<Output>) throws(PayloadError) -> Output? {
        if node == .none { return nil }
        do throws(QueryError) {
            switch place.owner {
            case .frozen(let element): return try element.element(at: node).findFirst(query)
            case .editable(let element): return try element.element(at: node).findFirst(query)
            }
        } catch {
            throw self.error(.query("\(error)"), at: node)
        }
    }

    /// All results of a query with a regular expression. For the macro `@Payload`.
    public func _query<Output: QueryDecodable>(_ query: Query<Output>) throws(PayloadError) -> [Output] {
        if node == .none { return [] }
        do throws(QueryError) {
            switch place.owner {
            case .frozen(let element): return try element.element(at: node).find(query)
            case .editable(let element): return try element.element(at: node).find(query)
            }
        } catch {
            throw self.error(.query("\(error)"), at: node)
        }
    }
}
