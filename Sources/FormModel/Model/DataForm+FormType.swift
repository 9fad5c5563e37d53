// FORM_TYPE: the field that defines the meaning of a form's fields (XEP-0068).

import XMLTree

extension FormField {
    /// The name of the field that defines the meaning of a form's fields.
    public static let formTypeName = "FORM_TYPE"

    /// The field `FORM_TYPE`, hidden.
    package static func formType(_ value: String) -> FormField { FormField(formTypeName, .hidden, values: [value]) }
}

extension DataForm {
    /// The meaning of the form's fields: the value of the field `FORM_TYPE` (XEP-0068), the form's own or, in a form
    /// with items, that of the first item.
    ///
    /// In a form to fill in, and in a result, a field of that name counts only if it is hidden. Elsewhere, its type may
    /// be omitted. Of several fields, and of several values, the first counts; `faults` reports them. Setting it
    /// changes this field or adds it in the first place; `nil` removes it.
    public var formType: String? {
        get { (formTypeField(among: fields) ?? items.first.flatMap { formTypeField(among: $0.fields) })?.value }
        set {
            guard let newValue else { return fields.remove(FormField.formTypeName) }
            if let index = fields.firstIndex(where: { $0.isNamed(FormField.formTypeName) }) {
                fields[index].values = [newValue]
                fields[index].type = .hidden
            } else {
                fields.insert(.formType(newValue), at: 0)
            }
        }
    }

    private func formTypeField(among fields: [FormField]) -> FormField? {
        fields.first { $0.isNamed(FormField.formTypeName) && ($0.type == .hidden || !demandsHiddenFormType) }
    }

    /// Whether a `FORM_TYPE` that is not hidden is ignored.
    package var demandsHiddenFormType: Bool { type == .form || type == .result }
}
