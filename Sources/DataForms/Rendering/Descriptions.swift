// The descriptions of fields, items and answers for logs: names and types, but no value that may be secret.

extension FormField: CustomDebugStringConvertible {
    /// Name, type and values, as in `"\(field)"`. Values are masked unless the type allows showing them: those of
    /// `text-private` and `hidden` fields are, and those of fields without a type, which may be either. `values` has
    /// them.
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

    /// More values are counted.
    private static let shownCount = 8
}

extension FormItem: CustomStringConvertible {
    /// The fields, with the values masked that may be secret: the types of most are in the table's header. `fields` has
    /// them.
    public var description: String { "FormItem(\(fields))" }
}

extension FormAnswer: CustomStringConvertible {
    /// The names of the fields that were entered, and no values. `values(of:)` has them.
    public var description: String {
        let names = enteredNames.map { "'\($0.shown())'" }
        return "FormAnswer(\(names.isEmpty ? "nothing entered" : names.joined(separator: ", ")))"
    }
}

extension DataFormElement: CustomStringConvertible {
    /// The form as it can be shown on a terminal. See `DataForm.rendered(width:registry:)`. `element` has all of it.
    public var description: String { DataForm(self).description }
}
