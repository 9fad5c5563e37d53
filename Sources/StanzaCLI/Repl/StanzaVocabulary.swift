// Completions at a position in a query: texts with which the query still matches a loaded stanza. The stanzas are
// untrusted, so the list is bounded, and has only texts that a query can contain and that a terminal prints unchanged.

import DataForms
import SafeText
import StanzaQuery

/// The names and values in some stanzas from which queries can be built.
struct StanzaVocabulary {
    /// The maximum number of texts: users do not choose from more.
    static let maximumCount = 5_000
    /// The maximum length of a text worth completing, in bytes.
    static let maximumLength = 256

    let stanzas: [Element]

    /// The completions at a position.
    ///
    /// - Parameter settings: How the query will be compiled, and its arguments.
    func texts(at point: CompletionPoint, _ settings: ReplSettings) -> Set<String> {
        var texts: Set<String> = []
        guard let query = try? Query(point.path, as: Element.self, options: settings.options),
            case let arguments = query.arguments(from: Array(settings.arguments.prefix(query.argumentCount))),
            let binding = try? query.binding(values: arguments)
        else { return texts }
        for stanza in stanzas {
            for element in (try? stanza.find(binding)) ?? [] {
                for text in Self.texts(at: point, of: element) where text.canBeCompleted {
                    texts.insert(text)
                    if texts.count == Self.maximumCount { return texts }
                }
            }
        }
        return texts
    }

    private static func texts(at point: CompletionPoint, of element: Element) -> [String] {
        switch point.wanted {
        case .root: [name(of: element, in: element.namespace, point.typed)]
        case .element: element.children.map { name(of: $0, in: element.namespace, point.typed) }
        case .attribute: element.attributes.map { point.typed.hasPrefix("{") ? expanded($0) : $0.name }
        case .value(let name):
            [element.attribute(name)].compactMap(\.self)
                .filter { !$0.utf8.contains { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "%") } }.map { $0 + ">" }
        case .formType:
            forms(in: element).compactMap(\.formType).filter { !$0.contains { "\\}".contains($0) } }.map { $0 + "}" }
        case .formKind(let formType): forms(in: element, formType).compactMap { $0.kind?.rawValue }
        case .field(let formType):
            forms(in: element, formType).flatMap { form in
                let parts = form.element.children.filter { $0.name == "reported" || $0.name == "item" }
                return ([form.element] + parts).flatMap(\.children).filter { $0.name == "field" }
            }.compactMap { $0["var"] }.filter { !$0.contains("\\") }.map { $0 + "\\" }
        case .conversion, .nothing: []
        }
    }

    /// A name with its namespace, if that is not the one of its place, or if the user has begun to type one.
    private static func name(of element: Element, in namespace: String?, _ typed: String) -> String {
        if typed.hasPrefix("{*}") { return "{*}" + element.name }
        let isInherited = element.namespace == namespace && !typed.hasPrefix("{")
        return isInherited ? element.name : "{\(element.namespace ?? "*")}\(element.name)"
    }

    private static func expanded(_ attribute: XMLAttribute) -> String {
        let local = attribute.name.split(separator: ":").last ?? ""
        return attribute.namespace.map { "{\($0)}\(local)" } ?? ""
    }

    /// The form that an element is, and those in it.
    private static func forms(in element: Element, _ formType: String? = nil) -> [DataFormElement<Element>] {
        ([element] + element.children).compactMap { DataFormElement($0) }
            .filter { formType == nil || $0.formType == formType }
    }
}

extension String {
    /// Whether a terminal shows the text as it is, a query can have it, and it is short enough to complete.
    fileprivate var canBeCompleted: Bool {
        guard !isEmpty, utf8.count <= StanzaVocabulary.maximumLength else { return false }
        // A namespace ends at the first brace.
        if first == "{", utf8.count(where: { $0 == UInt8(ascii: "}") }) > 1 { return false }
        return unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .format, .unassigned, .privateUse, .surrogate: false
            default: !scalar.isUnsafeToShow
            }
        }
    }
}
