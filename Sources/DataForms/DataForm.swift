// A read view over a data form in a frozen tree.
//
// The work is done by FormReader.swift; MutableDataForm.swift is the same for editable trees. Writing forms is not
// this file's business.

public import XMLTree

/// A data form (XEP-0004) in a frozen tree, read in place.
///
///     let form = DataForm(element)  // nil when the element is no `{jabber:x:data}x`
///     form?.formType                // "urn:xmpp:http:upload:0"
///     form?.value(of: "max-file-size")
public struct DataForm: Sendable {
    /// The form's `{jabber:x:data}x` element.
    public let element: Element

    /// `nil` when the element is no data form.
    public init?(_ element: Element) {
        guard FormReader(element.view, element.index) != nil else { return nil }
        self.element = element
    }

    /// The form's type as written: `form`, `submit`, `cancel` or `result`.
    public var type: String? { read { $0.type } }

    /// The value of the field `FORM_TYPE` (XEP-0068): the form's own, or else its first item's.
    public var formType: String? { read { $0.formType } }

    /// The number of `<item/>` elements.
    public var itemCount: Int { read { $0.itemCount } ?? 0 }

    /// The first value of a field; `nil` when the field or its value is missing, empty when the value has no text.
    ///
    /// - Parameters:
    ///   - field: The field's name.
    ///   - item: The zero-based index of the item to look in. Without it, the form's own field counts, or else that of
    ///     the first item.
    /// - Complexity: O(number of fields).
    public func value(of field: String, inItem item: Int? = nil) -> String? {
        read { $0.value(of: field, item: item) }
    }

    /// The description of a field; for that of an item, completed from the table's header.
    public func field(_ name: String, inItem item: Int? = nil) -> FormField? {
        read { $0.field(name, item: item).map($0.description(of:)) }
    }

    private func read<Result>(_ body: (FormReader) -> Result?) -> Result? {
        withExtendedLifetime(element) { FormReader(element.view, element.index).flatMap(body) }
    }
}
