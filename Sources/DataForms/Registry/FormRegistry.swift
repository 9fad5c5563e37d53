// The registered FORM_TYPEs and the types of their fields (XEP-0068 §3). KnownForms.swift has the standard ones.

import FormModel

/// Known FORM_TYPEs, and the types of their fields. They supply the types that submissions and results omit.
///
/// ```swift
/// var registry = FormRegistry.standard
/// registry.register("https://example.org/bot", ["public": .boolean, "owners": .jidMulti])
/// let type = registry.type(of: "public", in: "https://example.org/bot")
/// ```
///
/// A registry is a value: changing one does not change another. It compares all names code point by code point.
public struct FormRegistry: Sendable {
    private var types: [ExactString: [ExactString: FieldType]] = [:]

    /// Creates an empty registry.
    public init() {}

    /// The registrations in the specifications of the XMPP Standards Foundation.
    public static let standard = FormRegistry(parsing: KnownForms.table)

    /// The FORM_TYPEs, sorted.
    public var formTypes: [String] { types.keys.map(\.string).sorted() }

    /// Returns the type of a field in forms with that FORM_TYPE; `nil` when it is unknown.
    public func type(of field: String, in formType: String) -> FieldType? {
        types[ExactString(formType)]?[ExactString(field)]
    }

    /// Whether the FORM_TYPE is one of `formTypes`.
    func knows(_ formType: String) -> Bool { types[ExactString(formType)] != nil }

    /// The fields of a FORM_TYPE, sorted by name.
    public func fields(of formType: String) -> [(name: String, type: FieldType)] {
        let fields = types[ExactString(formType)] ?? [:]
        return fields.map { (name: $0.key.string, type: $0.value) }.sorted { $0.name < $1.name }
    }

    /// Adds fields to a FORM_TYPE, which may be new. A known field gets the new type.
    public mutating func register(_ formType: String, _ fields: KeyValuePairs<String, FieldType>) {
        for (name, type) in fields { types[ExactString(formType), default: [:]][ExactString(name)] = type }
    }

    /// Reads a table: lines that begin with a FORM_TYPE, and below each, indented, a type and the names of its fields.
    init(parsing table: String) {
        var formType = ExactString("")
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard line.hasPrefix(" "), let type = words.first.flatMap({ FieldType(rawValue: String($0)) }) else {
                formType = ExactString(String(line))
                continue
            }
            for name in words.dropFirst() { types[formType, default: [:]][ExactString(String(name))] = type }
        }
    }
}

extension DataForm {
    /// Returns the effective type of a field of this form: its own; if a submission or result omits it, the registry's;
    /// else `text-single` (XEP-0004 §3.2). `FORM_TYPE` is hidden.
    public func type(of field: FormField, in registry: FormRegistry = .standard) -> FieldType {
        fieldTypes(in: registry)(field)
    }

    /// Returns `type(of:in:)` as a function for many fields, which looks up the form's FORM_TYPE only once.
    package func fieldTypes(in registry: FormRegistry = .standard) -> (FormField) -> FieldType {
        let formType = formType
        return { self.type(of: $0, in: registry, formType) }
    }

    private func type(of field: FormField, in registry: FormRegistry, _ formType: String?) -> FieldType {
        if let type = field.type { return type }
        guard let name = field.name, kind != .form else { return .textSingle }
        if field.isNamed(FormField.formTypeName) { return .hidden }
        return formType.flatMap { registry.type(of: name, in: $0) } ?? .textSingle
    }
}
