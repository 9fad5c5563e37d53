// A form as a value that the app makes, changes, and puts into a stanza.
//
// DataForm+Fields.swift looks up fields by name, and DataForm+FormType.swift handles FORM_TYPE. The folder Reading
// reads forms from elements; the module DataForms writes them. The folder InPlace reads forms in place.

public import XMLTree

/// A data form (XEP-0004): a value, changed freely and independent of any stanza.
///
/// ```swift
/// var form = DataForm(.submit, formType: "urn:xmpp:mam:2", ["with": "juliet@capulet.example"])
/// form["start"] = "2010-06-07T00:00:00Z"
/// let query = try MutableElement("query", namespace: "urn:xmpp:mam:2") { try form.element() }
/// ```
///
/// A form that was read from an element remembers it. Writing the form keeps the element's content without a property
/// here, down to white space. The form therefore holds the tree of that element, the whole stanza.
///
/// Equality compares the properties, code points without canonical equivalence; it does not compare remembered
/// elements.
public struct DataForm: Sendable, Hashable {
    /// The attribute `type` as written; `nil` when it is missing. ``kind`` is the typed value.
    public var rawKind: String?
    public var title: String?
    /// How to fill the form in; each is a line or a paragraph.
    public var instructions: [String]
    /// The layout of the fields, if one is given (XEP-0141).
    public var pages: [FormSection]
    /// The form's own fields, in order, `FORM_TYPE` among them. Items have their own fields.
    public var fields: [FormField]
    /// The header of the table of items: fields without values, one for each column. `nil` when there is none.
    public var reported: [FormField]?
    /// The rows of the table.
    public var items: [FormItem]
    /// Child elements that none of these specifications defines.
    public var extensions: [Element]
    /// The element that the form was read from.
    package var origin: Element?
    /// The element of the form that this one answers.
    package var answered: Element?

    /// The purpose of a form (XEP-0004 §3.1).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It is to be filled in.
        case form
        /// It was filled in.
        case submit
        /// It will not be filled in.
        case cancel
        /// It reports data.
        case result
    }

    /// Makes a form.
    ///
    /// - Parameters:
    ///   - kind: Its purpose.
    ///   - formType: The value of a field `FORM_TYPE`, which comes first and is hidden.
    ///   - title: The form's title.
    ///   - instructions: How to fill it in; each is a line or a paragraph.
    ///   - fields: The other fields.
    ///   - reported: The header of the table of items.
    ///   - items: The rows of the table.
    ///   - pages: The layout of the fields.
    public init(
        _ kind: Kind, formType: String? = nil, title: String? = nil, instructions: [String] = [],
        fields: [FormField] = [], reported: [FormField]? = nil, items: [FormItem] = [], pages: [FormSection] = []
    ) {
        rawKind = kind.rawValue
        self.title = title
        self.instructions = instructions
        self.pages = pages
        self.fields = fields
        self.reported = reported
        self.items = items
        extensions = []
        if let formType { self.fields.insert(.formType(formType), at: 0) }
    }

    /// Makes a form with a field for each entry, without types.
    ///
    /// ```swift
    /// let search = DataForm(.submit, formType: "jabber:iq:search", ["first": "Juliet", "last": "Capulet"])
    /// ```
    public init(_ kind: Kind, formType: String? = nil, _ values: StringMap) {
        self.init(kind, formType: formType, fields: values.map { FormField($0.key, values: [$0.value]) })
    }

    /// The purpose of the form; `nil` when its type is missing or not known.
    public var kind: Kind? {
        get { rawKind.flatMap { Kind(rawValue: $0) } }
        set { rawKind = newValue?.rawValue }
    }

    public static func == (one: DataForm, other: DataForm) -> Bool {
        one.rawKind.isIdentical(to: other.rawKind) && one.title.isIdentical(to: other.title)
            && one.instructions.areIdentical(to: other.instructions) && one.pages == other.pages
            && one.fields == other.fields && one.reported == other.reported && one.items == other.items
            && one.extensions == other.extensions
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawKind)
        hasher.combine(title)
        hasher.combine(fields)
        hasher.combine(items)
    }
}
