// The names that occur in stanzas, for completion. The stanzas are untrusted: it keeps only names that a query can
// contain and a terminal shows as they are, and bounds their number.

import DataForms
import SafeText
import StanzaQuery

/// The names in some stanzas from which queries can be built.
struct StanzaVocabulary {
    /// The maximum number of names of a kind: users do not choose from more.
    static let maximumCount = 5_000
    /// The maximum length of a name worth completing, in bytes.
    static let maximumLength = 256

    /// The names of one kind, with their owners.
    struct Names {
        /// The owners of each name: namespaces for an element's name, elements for an attribute's, types of forms for a
        /// field's.
        private(set) var owners: [String: Set<String>] = [:]
        private var count = 0

        fileprivate mutating func add(_ name: String, of owner: String) {
            guard count < maximumCount, name.canBeCompleted, owner.isEmpty || owner.canBeCompleted else { return }
            if owners[name, default: []].insert(owner).inserted { count += 1 }
        }

        /// The names that occurred with an owner, or with any; all if there are none.
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
    /// Local names of attributes that have a namespace, with that namespace.
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
        if let kind = form.kind { formKinds.add(kind.rawValue, of: formType) }
        let parts = [form.element] + form.element.children.filter { $0.name == "reported" || $0.name == "item" }
        for field in parts.flatMap(\.children) where field.name == "field" {
            if let name = field["var"], !name.utf8.contains(UInt8(ascii: "\\")) { fields.add(name, of: formType) }
        }
    }
}

extension String {
    /// Whether a terminal shows the name as it is, and it is short enough to complete.
    fileprivate var canBeCompleted: Bool {
        guard !isEmpty, utf8.count <= StanzaVocabulary.maximumLength else { return false }
        return unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .format, .unassigned, .privateUse, .surrogate: false
            default: !scalar.isUnsafeToShow
            }
        }
    }
}
