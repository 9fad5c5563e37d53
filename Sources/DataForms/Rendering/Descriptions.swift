// The descriptions of fields, items and answers for logs: names and types, but no value that may be secret.

extension FormField: CustomDebugStringConvertible {
    /// Name, type and values, as in `"\(field)"`. It masks the values of `text-private` and `hidden` fields, and those
    /// of fields without a type, which may be either. `values` has them.
    public var debugDescription: String {
        let parts = [name.map { "'\($0.shown())'" } ?? "without name", typeName?.shown(), shownValues]
        return "FormField(\(parts.compactMap(\.self).joined(separator: ", ")))"
    }

    private var shownValues: String {
        if values.isEmpty { return "no values" }
        let isPublic = type.map { $0 != .textPrivate && $0 != .hidden } ?? false
        guard isPublic || isNamed(FormField.formTypeName) else { return Self.mask }
        return values.prefix(Self.shownCount).map { "'\($0.shown())'" }.joined(separator: " ")
            + (values.count > Self.shownCount ? " and \(values.count - Self.shownCount) more" : "")
    }

    /// The maximum number of values shown. The description counts the others.
    private static let shownCount = 8
}

extension FormItem: CustomStringConvertible {
    /// The fields. It masks values that may be secret, because the table's header has the types of most fields.
    /// `fields` has the values.
    public var description: String { "FormItem(\(fields))" }
}

extension FormAnswer: CustomStringConvertible {
    /// The names of the fields with entered values, without the values. `values(of:)` has them.
    public var description: String {
        let names = enteredNames.map { "'\($0.shown())'" }
        return "FormAnswer(\(names.isEmpty ? "nothing entered" : names.joined(separator: ", ")))"
    }
}

extension DataFormElement: CustomStringConvertible {
    /// The form as text for a terminal. See `DataForm.rendered(width:registry:)`. `element` has all of it.
    public var description: String { DataForm(self).description }
}
