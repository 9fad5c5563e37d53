// Filling in a form: the entered values, their problems, and the resulting submission.

public import FormModel
import XMPPCore

/// The answer to a form, while it is being filled in.
///
/// ```swift
/// var answer = FormAnswer(to: form)
/// answer["botname"] = "The Jabber Google Bot"
/// answer.set("invitelist", to: ["juliet@capulet.example", "benvolio@montague.example"])
/// let submission = try answer.submission()
/// ```
///
/// Fields without entered values keep the form's values, hidden fields and `FORM_TYPE` included.
public struct FormAnswer: Sendable {
    /// The form to fill in.
    public let form: DataForm
    private let registry: FormRegistry
    /// The form's fields by name. Of several fields with one name, the first counts.
    private let fields: [ExactString: FormField]
    private var entered: [ExactString: [String]] = [:]
    /// The names of fields that the form does not have.
    private var additions: [String] = []

    /// Creates an answer without entered values.
    ///
    /// - Parameters:
    ///   - form: The form to fill in.
    ///   - registry: The types of fields for which the form gives none.
    public init(to form: DataForm, registry: FormRegistry = .standard) {
        self.form = form
        self.registry = registry
        fields = Dictionary(
            form.fields.compactMap { field in field.name.map { (ExactString($0), field) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The first value of a field: the entered one, or else the form's. Setting `nil` removes the entered values.
    public subscript(name: String) -> String? {
        get { values(of: name).first }
        set {
            if let newValue { return set(name, to: [newValue]) }
            entered[ExactString(name)] = nil
            additions.removeAll { $0.isIdentical(to: name) }
        }
    }

    /// The values of a field: the entered ones, or else the form's.
    public func values(of name: String) -> [String] {
        entered[ExactString(name)] ?? fields[ExactString(name)]?.values ?? []
    }

    /// Enters values. An empty array empties the field, so that the form's values are not submitted.
    ///
    /// The submission normalizes them for their field: it splits text of several lines into lines, lists each address
    /// once, and puts choices in the order of the list.
    public mutating func set(_ name: String, to values: [String]) {
        if fields[ExactString(name)] == nil, entered[ExactString(name)] == nil { additions.append(name) }
        entered[ExactString(name)] = values
    }

    /// The names of the fields with entered values, in the order of the form.
    var enteredNames: [String] {
        (form.namedFields.compactMap(\.name) + additions).filter { entered[ExactString($0)] != nil }
    }

    /// The problems so far: at most one of each field, in the order of the form.
    public var problems: [FormProblem] { form.problems(in: uncheckedSubmission, registry: registry) }

    /// The problem that values would have after being entered; `nil` for none, and for a field that the form does not
    /// have.
    ///
    /// - Parameters:
    ///   - values: The values to check.
    ///   - name: The name of the field.
    ///   - isComplete: Whether the input is complete: until then, required values may be missing.
    public func problem(with values: [String], for name: String, isComplete: Bool = true) -> FormProblem? {
        guard let field = fields[ExactString(name)] else { return nil }
        let type = form.type(of: field, in: registry)
        return FieldCheck(field, as: type).problem(with: type.normalized(values, of: field), isComplete: isComplete)
    }

    /// Returns the filled-in form, of type `submit`.
    ///
    /// It has the fields with entered values or with values in the form. An unanswered required boolean counts as
    /// `false` (XEP-0004 §3.3). It omits text to read.
    ///
    /// - Throws: `FormRejection` with all problems, if there are any.
    public func submission() throws(FormRejection) -> DataForm {
        let submission = uncheckedSubmission
        let problems = form.problems(in: submission, registry: registry)
        if !problems.isEmpty { throw FormRejection(problems: problems) }
        return submission
    }

    private var uncheckedSubmission: DataForm {
        var submission = DataForm(.submit)
        submission.answered = form.origin
        let formType = form.formType
        // A form without its own FORM_TYPE takes that of its first item.
        if let formType, form.fields.field(FormField.formTypeName) == nil { submission.formType = formType }
        let type = form.fieldTypes(in: registry)
        for field in form.namedFields {
            if field.isNamed(FormField.formTypeName), let formType {
                submission.fields.append(.formType(formType))
                continue
            }
            guard let name = field.name, let values = submittedValues(of: field, name, type(field)) else { continue }
            var submitted = FormField(name, values: values)
            submitted.typeName = field.typeName
            submission.fields.append(submitted)
        }
        for name in additions where formType == nil || !name.isIdentical(to: FormField.formTypeName) {
            guard let values = entered[ExactString(name)] else { continue }
            submission.fields.append(FormField(name, values: values))
        }
        return submission
    }

    /// The values of a field in the submission; `nil` when the submission omits the field.
    private func submittedValues(of field: FormField, _ name: String, _ type: FieldType) -> [String]? {
        if type == .fixed { return nil }
        if let values = entered[ExactString(name)] { return type.normalized(values, of: field) }
        if !field.values.isEmpty {
            // If the form has more values than the type allows, the first counts (`FormFault.Rule.severalValues`).
            let values = type.allowsSeveralValues ? field.values : Array(field.values.prefix(1))
            return type.normalized(values, of: field)
        }
        return type == .boolean && field.isRequired ? ["false"] : nil
    }
}

extension FieldType {
    /// Returns the values in their form for a submission (XEP-0004 §3.3).
    fileprivate func normalized(_ values: [String], of field: FormField) -> [String] {
        switch self {
        case .textMulti: return values.flatMap(\.lines)
        case .jidMulti:
            var seen: Set<LenientAddress> = []
            // The check reports values that are not addresses.
            return values.filter { value in
                !value.isEmpty && LenientAddress(value).map { seen.insert($0).inserted } ?? true
            }
        case .listMulti:
            var chosen = Set(values.map(ExactString.init))
            var offered: Set<ExactString> = []
            let known = field.options.map { ExactString($0.value) }.filter { offered.insert($0).inserted }
            let inOrder = known.filter { chosen.remove($0) != nil }
            // Values that are not options come last, in the order in which they were entered.
            return (inOrder + values.map(ExactString.init).filter { chosen.remove($0) != nil }).map(\.string)
        case .boolean, .fixed, .hidden, .jidSingle, .listSingle, .textPrivate, .textSingle: return values
        }
    }
}

extension String {
    /// The lines: the text between line breaks of any kind.
    fileprivate var lines: [String] {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }.map(String.init)
    }
}

extension DataForm {
    /// Returns this form, filled in with values. A field without a given value keeps the form's values.
    ///
    /// ```swift
    /// let submission = try form.submission(["botname": "The Jabber Google Bot", "public": "true"])
    /// ```
    ///
    /// For fields with several values, use `FormAnswer`.
    ///
    /// - Throws: `FormRejection` with all problems, if there are any.
    public func submission(_ values: StringMap = [:]) throws(FormRejection) -> DataForm {
        var answer = FormAnswer(to: self)
        for (name, value) in values { answer[name] = value }
        return try answer.submission()
    }

    /// Returns a form of type `cancel`, without fields: the user does not fill in this one (XEP-0004 §3.2).
    public func cancellation() -> DataForm {
        var cancellation = DataForm(.cancel)
        cancellation.answered = origin
        return cancellation
    }
}
