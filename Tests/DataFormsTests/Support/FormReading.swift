// Reads the contents of a form with another parser and without the library. The tests compare them with the contents
// that the library reads or writes.

import DataForms
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An element that Foundation's parser read.
final class ReadNode: NSObject, XMLParserDelegate {
    let name: String
    let namespace: String
    let attributes: [String: String]
    private(set) var children: [ReadNode] = []
    private(set) var text = ""
    private var open: [ReadNode] = []

    private init(_ name: String, _ namespace: String, _ attributes: [String: String]) {
        (self.name, self.namespace, self.attributes) = (name, namespace, attributes)
    }

    /// Returns the elements of a text, whose default namespace is that of a client's stream.
    static func elements(of xml: String) throws -> [ReadNode] {
        let root = ReadNode("", "", [:])
        root.open = [root]
        defer { root.open = [] }
        let parser = XMLParser(data: Data("<stream xmlns='jabber:client'>\(xml)</stream>".utf8))
        parser.shouldProcessNamespaces = true
        parser.delegate = root
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
        return root.children[0].children
    }

    /// The forms at any depth, the outer ones first.
    var forms: [ReadNode] {
        (name == "x" && namespace == "jabber:x:data" ? [self] : []) + children.flatMap(\.forms)
    }

    func all(_ name: String, _ namespace: String = "jabber:x:data") -> [ReadNode] {
        children.filter { $0.name == name && $0.namespace == namespace }
    }

    // MARK: XMLParserDelegate

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let local = name.split(separator: ":").last.map(String.init) ?? name
        let node = ReadNode(local, namespaceURI ?? "", attributes)
        open.last?.children.append(node)
        open.append(node)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }
}

/// The contents of a form by XEP-0004.
struct FormReading: Equatable {
    struct Field: Equatable {
        var name, type, label, description: String?
        var isRequired: Bool
        var values: [String]
        /// Value and label.
        var options: [[String?]]
        /// Datatype, bounds and pattern of the validation (XEP-0122).
        var validation: [String?]?
    }

    var type, title: String?
    var instructions: [String]
    var fields: [Field]
    var header: [Field]?
    var items: [[Field]]
}

extension FormReading {
    init(_ node: ReadNode) {
        type = node.attributes["type"]
        title = node.all("title").first?.text
        instructions = node.all("instructions").map(\.text)
        fields = node.all("field").map(Field.init)
        header = node.all("reported").first.map { $0.all("field").map(Field.init) }
        items = node.all("item").map { $0.all("field").map(Field.init) }
    }

    init(_ form: DataForm) {
        type = form.rawKind
        title = form.title
        instructions = form.instructions
        fields = form.fields.map(Field.init)
        header = form.reported.map { $0.map(Field.init) }
        items = form.items.map { $0.fields.map(Field.init) }
    }
}

extension FormReading.Field {
    init(_ node: ReadNode) {
        name = node.attributes["var"]
        type = node.attributes["type"]
        label = node.attributes["label"]
        // An empty description does not count.
        description = node.all("desc").map(\.text).first { !$0.isEmpty }
        isRequired = !node.all("required").isEmpty
        values = node.all("value").map(\.text)
        options = node.all("option").filter { !$0.all("value").isEmpty }.map {
            [$0.all("value").first?.text, $0.attributes["label"]]
        }
        let namespace = "http://jabber.org/protocol/xdata-validate"
        validation = node.all("validate", namespace).first.map { validate in
            // The first method counts.
            let methods = ["basic", "open", "range", "regex"]
            let method = validate.children.first { $0.namespace == namespace && methods.contains($0.name) }
            let range = method?.name == "range" ? method : nil
            return [
                validate.attributes["datatype"], range?.attributes["min"], range?.attributes["max"],
                method?.name == "regex" ? method?.text : nil,
            ]
        }
    }

    init(_ field: FormField) {
        name = field.name
        type = field.typeName
        label = field.label
        description = field.description
        isRequired = field.isRequired
        values = field.values
        options = field.options.map { [$0.value, $0.label] }
        validation = field.validation.map { validation in
            switch validation.method {
            case .basic, .open: [validation.datatype, nil, nil, nil]
            case .range(let min, let max): [validation.datatype, min, max, nil]
            case .regex(let pattern): [validation.datatype, nil, nil, pattern]
            }
        }
    }
}
