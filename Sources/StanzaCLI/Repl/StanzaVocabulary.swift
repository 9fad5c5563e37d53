// The names that occur in stanzas, for completion. They come from strangers: only what can stand in a query, and does
// nothing to a terminal, is kept, and not too much of it.

import DataForms
import SafeText
import StanzaQuery

/// The names that queries of some stanzas can be made of.
struct StanzaVocabulary {
    /// So many of a kind are kept: nobody chooses from more.
    static let maximumCount = 5_000
    /// The bytes of a name that somebody wants to have typed for him.
    static let maximumLength = 256

    /// What occurs of one kind, and with what.
    struct Names {
        /// For each name what it occurred with: namespaces with an element's name, elements with an attribute's, types
        /// of forms with a field's.
        private(set) var owners: [String: Set<String>] = [:]
        private var count = 0

        fileprivate mutating func add(_ name: String, of owner: String) {
            guard count < maximumCount, name.canBeCompleted, owner.isEmpty || owner.canBeCompleted else { return }
            if owners[name, default: []].insert(owner).inserted { count += 1 }
        }

        /// Those that occurred with an owner, or with any; all if there are none.
        func all(of owner: String?) -> [String] {
            guard let owner else { return Array(owners.keys) }
            let own = owners.filter { $0.value.contains(owner) }.keys
            return own.isEmpty ? Array(owners.keys) : Array(own)
        }
    }

    /// Local names, with their namespaces; none is "".
    private(set) var elements = Names()
    private(set) var namespaces = Names()
    /// Attributes, with the names of their elements.
    private(set) var attributes = Names()
    /// Namespaces of attributes.
    private(set) var attributeNamespaces = Names()
    /// Local names of attributes that have a namespace, with it.
    private(set) var expandedAttributes = Names()
    /// The types of forms: values of FORM_TYPE.
    private(set) var formTypes = Names()
    /// The types of forms, with their FORM_TYPE; none is "".
    private(set) var formKinds = Names()
    /// Names of fields, with the types of their forms; none is "".
    private(set) var fields = Names()

    init(_ stanzas: some Sequence<Element>) {
        for stanza in stanzas { add(stanza) }
    }

    private mutating func add(_ stanza: Element) {
        var waiting = [stanza]
        while let element = waiting.popLast() {
            let name = element.name
            elements.add(name, of: element.namespace ?? "")
            if let namespace = element.namespace, !namespace.utf8.contains(UInt8(ascii: "}")) {
                namespaces.add(namespace, of: "")
            }
            for attribute in element.attributes { add(attribute, of: name) }
            if let form = DataFormElement(element) { add(form) }
            waiting += element.children
        }
    }

    private mutating func add(_ attribute: XMLAttribute, of element: String) {
        attributes.add(attribute.name, of: element)
        guard let namespace = attribute.namespace, !namespace.utf8.contains(UInt8(ascii: "}")),
            let colon = attribute.name.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return }
        attributeNamespaces.add(namespace, of: "")
        let local = attribute.name.utf8.index(after: colon)
        expandedAttributes.add(String(attribute.name[local...]), of: namespace)
    }

    private mutating func add(_ form: DataFormElement<Element>) {
        let formType = form.formType ?? ""
        if !formType.isEmpty, !formType.utf8.contains(where: { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "\\") }) {
            formTypes.add(formType, of: "")
        }
        if let kind = form.type { formKinds.add(kind.rawValue, of: formType) }
        let parts = [form.element] + form.element.children.filter { $0.name == "reported" || $0.name == "item" }
        for field in parts.flatMap(\.children) where field.name == "field" {
            if let name = field["var"], !name.utf8.contains(UInt8(ascii: "\\")) { fields.add(name, of: formType) }
        }
    }
}

extension String {
    /// Whether a terminal shows it as it is, and somebody may want to type it.
    fileprivate var canBeCompleted: Bool {
        guard !isEmpty, utf8.count <= StanzaVocabulary.maximumLength else { return false }
        return unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .format, .unassigned, .privateUse, .surrogate: false
            default: !scalar.isObeyedByTerminals
            }
        }
    }
}
