// Short ways to answer a form.

public import FormModel

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
