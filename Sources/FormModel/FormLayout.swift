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

extension FormSection {
    /// Reads a page (at depth 0), or a section.
    init(_ view: TreeView, _ element: NodeIndex, depth: Int = 0) {
        self.init(label: view.attributeString(.label, of: element))
        var child = view[element].firstChild
        while child != .none {
            switch view[child].key {
            case FormNames.text: parts.append(.text(view.textString(of: child)))
            case FormNames.fieldref: view.attributeString(.var, of: child).map { parts.append(.field($0)) }
            case FormNames.reportedref: parts.append(.table)
            case FormNames.section where depth < Self.maximumDepth:
                parts.append(.section(FormSection(view, child, depth: depth + 1)))
            default: break
            }
            child = view[child].next
        }
    }

    /// Sections nested beyond this depth are not read: no real form has them, and reading them takes stack.
    package static let maximumDepth = 16
}
