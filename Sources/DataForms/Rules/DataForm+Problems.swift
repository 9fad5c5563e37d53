// Checks the values of a filled-in form: on receiving a submission, and before sending one.

import FormModel

extension DataForm {
    /// Returns the problems of a submission of this form: at most one of each field, in the order of the form.
    ///
    /// The check ignores fields that this form does not have (XEP-0004 §3.1), and whether the submission is of type
    /// `submit`. It looks only at the submission's fields and at required ones.
    ///
    /// Linear in the values, and in the time that the form's regular expressions take, which is bounded for each value.
    ///
    /// - Parameters:
    ///   - submission: The filled-in form.
    ///   - registry: The types of fields for which this form gives none.
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

    /// Returns the problems of the form's own values: at most one of each field.
    ///
    /// In a form of type `form`, which is not filled in yet, values may be missing.
    public func problems(registry: FormRegistry = .standard) -> [FormProblem] {
        let header = (reported ?? []).byName
        let fieldType = fieldTypes(in: registry)
        let cells = items.flatMap(\.fields).map { field in
            field.name.flatMap { header[ExactString($0)] }.map(field.completed) ?? field
        }
        return (namedFields + cells).compactMap { field in
            FieldCheck(field, as: fieldType(field)).problem(with: field.values, isComplete: kind == .submit)
        }
    }

    /// The form's own fields with a name. The first of several fields with one name counts.
    var namedFields: [FormField] {
        var seen: Set<ExactString> = []
        return fields.filter { $0.name.map { seen.insert(ExactString($0)).inserted } ?? false }
    }
}
