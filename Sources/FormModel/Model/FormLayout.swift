// The layout of fields: pages and sections (XEP-0141).

import XMLTree

/// A page of a form, or a section of a page. Both have a label and parts.
///
/// ```swift
/// let page = FormSection(label: "You", parts: [.text("Your name"), .field("name.first"), .field("name.last")])
/// ```
public struct FormSection: Sendable, Hashable {
    public var label: String?
    /// Its parts, in order.
    public var parts: [LayoutPart]

    public init(label: String? = nil, parts: [LayoutPart] = []) {
        self.label = label
        self.parts = parts
    }

    /// Code points are compared, without canonical equivalence.
    public static func == (one: FormSection, other: FormSection) -> Bool {
        one.label.isIdentical(to: other.label) && one.parts == other.parts
    }
}

/// A part of a page, or of a section.
public enum LayoutPart: Sendable, Hashable {
    /// Text to read.
    case text(String)
    /// The field of that name.
    case field(String)
    /// The table of the form's items.
    case table
    /// Parts of their own. Sections are read up to a depth of 16; deeper ones are left out.
    indirect case section(FormSection)

    /// Code points are compared, without canonical equivalence.
    public static func == (one: LayoutPart, other: LayoutPart) -> Bool {
        switch (one, other) {
        case (.text(let one), .text(let other)), (.field(let one), .field(let other)): one.isIdentical(to: other)
        case (.table, .table): true
        case (.section(let one), .section(let other)): one == other
        default: false
        }
    }
}
