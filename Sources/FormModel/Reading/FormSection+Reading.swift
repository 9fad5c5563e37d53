// Reads pages and sections (XEP-0141).

import XMLTree

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
