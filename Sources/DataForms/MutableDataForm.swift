// A read view over a data form in an editable tree: DataForm.swift for the other kind of elements.

public import XMLTree

/// A data form (XEP-0004) in an editable tree, read in place: what is changed in the tree shows here.
///
///     let form = MutableDataForm(element)
///     form?.value(of: "max-file-size")
public struct MutableDataForm {
    /// The form's `{jabber:x:data}x` element.
    public let element: MutableElement

    /// `nil` when the element is no data form.
    public init?(_ element: MutableElement) {
        guard FormReader(element.view, element.index) != nil else { return nil }
        self.element = element
    }

    /// The form's type as written: `form`, `submit`, `cancel` or `result`.
    public var type: String? { read { $0.type } }

    /// The value of the field `FORM_TYPE` (XEP-0068): the form's own, or else its first item's.
    public var formType: String? { read { $0.formType } }

    /// The number of `<item/>` elements.
    public var itemCount: Int { read { $0.itemCount } ?? 0 }

    /// The first value of a field. See `DataForm.value(of:inItem:)`.
    public func value(of field: String, inItem item: Int? = nil) -> String? {
        read { $0.value(of: field, item: item) }
    }

    /// The description of a field. See `DataForm.field(_:inItem:)`.
    public func field(_ name: String, inItem item: Int? = nil) -> FormField? {
        read { $0.field(name, item: item).map($0.description(of:)) }
    }

    /// `nil` when the element, which can be renamed, is a form no longer.
    private func read<Result>(_ body: (FormReader) -> Result?) -> Result? {
        withExtendedLifetime(element) { FormReader(element.view, element.index).flatMap(body) }
    }
}
