// Checks what a form was filled in with: on receiving a submission, and before sending one.

import FormModel

extension DataForm {
    /// What is wrong with a submission of this form: at most one problem of each field, in the order of the form.
    ///
    /// Fields that this form does not have are passed over (XEP-0004 §3.1), and so is whether the submission is of type
    /// `submit`. Only fields that the submission has, and those that are required, are looked at.
    ///
    /// Linear in the values, and in the time that the form's regular expressions take, which is bounded for each value.
    ///
    /// - Parameters:
    ///   - submission: What was filled in.
    ///   - registry: What fields are, if this form does not say.
    public func problems(in submission: DataForm, registry: FormRegistry = .standard) -> [FormProblem] {
        var problems: [FormProblem] = []
        if let expected = formType, let found = submission.formType, !found.isIdentical(to: expected) {
            problems.append(
                FormProblem(field: FormField.formTypeName, .wrongFormType(value: found, expected: expected)))
        }
        let submitted = submission.fields.byName
        let type = fieldTypes(in: registry)
        for field in namedFields {
            let values = field.name.flatMap { submitted[ExactString($0)] }?.values ?? []
            if let problem = FieldCheck(field, as: type(field)).problem(with: values) {
                problems.append(problem)
            }
        }
        return problems
    }

    /// What is wrong with the values that the form itself has, as far as its fields say: at most one problem of each.
    ///
    /// Nobody has filled in a form of type `form` yet: there, values may be missing.
    public func problems(registry: FormRegistry = .standard) -> [FormProblem] {
        let header = (reported ?? []).byName
        let fieldType = fieldTypes(in: registry)
        let cells = items.flatMap(\.fields).map { field in
            field.name.flatMap { header[ExactString($0)] }.map(field.completed) ?? field
        }
        return (namedFields + cells).compactMap { field in
            FieldCheck(field, as: fieldType(field)).problem(with: field.values, isComplete: type == .submit)
        }
    }

    /// The form's own fields with a name; of several with one name the first.
    var namedFields: [FormField] {
        var seen: Set<ExactString> = []
        return fields.filter { $0.name.map { seen.insert(ExactString($0)).inserted } ?? false }
    }
}
