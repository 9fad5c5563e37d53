// A form in place: a view of a form in a stanza, frozen or editable.
//
// FormReader.swift finds its parts. The module DataForms changes forms in place.

public import XMLTree

/// A data form (XEP-0004) in a tree, read in place: cheaper than a `DataForm` for reading a few values.
///
/// ```swift
/// if let form = DataFormElement(element), form.formType == "urn:xmpp:http:upload:0" {
///     limit = form.value(of: "max-file-size")
/// }
/// ```
///
/// In an editable tree, it shows later changes of the tree.
public struct DataFormElement<Node: DataFormNode> {
    /// The form's `{jabber:x:data}x` element.
    public let element: Node

    /// `nil` when the element is not a data form.
    public init?(_ element: Node) {
        let place = element._formPlace
        guard FormReader(place.view, place.node) != nil else { return nil }
        self.element = element
    }

    /// The attribute `type` as written; `nil` when it is missing.
    public var rawKind: String? { read { $0.type } }

    /// The purpose of the form; `nil` when its type is missing or not known.
    public var kind: DataForm.Kind? { rawKind.flatMap { DataForm.Kind(rawValue: $0) } }

    /// The value of the field `FORM_TYPE` (XEP-0068), the form's own or else its first item's: as queries see it,
    /// whatever the type of the field (language rule 5.2). `DataForm.formType` is stricter.
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

    /// The values of a field, none when it is empty or missing. See `value(of:inItem:)`.
    public func values(of field: String, inItem item: Int? = nil) -> [String] {
        read { reader in reader.field(field, item: item).map { reader.values(of: $0.field) } } ?? []
    }

    /// A field. The field of an item is completed from the table's header.
    public func field(_ name: String, inItem item: Int? = nil) -> FormField? {
        let place = element._formPlace
        return read { $0.field(name, item: item).map(place.field) }
    }

    /// The first value of a field. See `value(of:inItem:)`.
    public subscript(name: String) -> String? { value(of: name) }

    /// `nil` when the element, which can be renamed, is a form no longer.
    private func read<Result>(_ body: (FormReader) -> Result?) -> Result? {
        let place = element._formPlace
        return withExtendedLifetime(element) { FormReader(place.view, place.node).flatMap(body) }
    }
}

extension DataFormElement: Sendable where Node: Sendable {}

/// An element that a form can be read from: an `Element` or a `MutableElement`.
public protocol DataFormNode: ReadableElement {
    /// Where the element is stored, for the modules of this package.
    var _formPlace: FormPlace { get }
}

/// The place where an element is stored. It has no public members.
public struct FormPlace {
    package enum Owner {
        case frozen(Element)
        case editable(MutableElement)
    }

    package let owner: Owner

    fileprivate init(_ element: Element) { owner = .frozen(element) }
    fileprivate init(_ element: MutableElement) { owner = .editable(element) }

    package var view: TreeView {
        switch owner {
        case .frozen(let element): element.view
        case .editable(let element): element.view
        }
    }

    package var node: NodeIndex {
        switch owner {
        case .frozen(let element): element.index
        case .editable(let element): element.index
        }
    }

    /// An element of the same tree; a frozen copy if the tree is editable.
    func frozenElement(at node: NodeIndex) -> Element {
        switch owner {
        case .frozen(let element): element.element(at: node)
        case .editable(let element): element.element(at: node).freeze()
        }
    }
}

extension Element: DataFormNode {
    public var _formPlace: FormPlace { FormPlace(self) }
}

extension MutableElement: DataFormNode {
    public var _formPlace: FormPlace { FormPlace(self) }
}
