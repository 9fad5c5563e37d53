// Reads pages and sections (XEP-0141).

import XMLTree

extension FormPage {
    init(_ view: TreeView, _ page: NodeIndex) {
        self.init(label: view.attributeString(.label, of: page), parts: view.layoutParts(of: page, depth: 0))
    }

    /// Sections nested beyond this depth are not read: no real form has them, and reading them takes stack.
    package static let maximumSectionDepth = 16
}

extension TreeView {
    fileprivate func layoutParts(of parent: NodeIndex, depth: Int) -> [LayoutPart] {
        var parts: [LayoutPart] = []
        var child = self[parent].firstChild
        while child != .none {
            switch self[child].key {
            case FormNames.text: parts.append(.text(textString(of: child)))
            case FormNames.fieldref: attributeString(.var, of: child).map { parts.append(.field($0)) }
            case FormNames.reportedref: parts.append(.table)
            case FormNames.section where depth < FormPage.maximumSectionDepth:
                let section = FormSection(
                    label: attributeString(.label, of: child), parts: layoutParts(of: child, depth: depth + 1))
                parts.append(.section(section))
            default: break
            }
            child = self[child].next
        }
        return parts
    }
}
