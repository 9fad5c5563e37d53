// The layout for showing a form (XEP-0141 §4.2), resolved: every field appears in its place, once.

import FormModel

/// A page of a layout whose references are resolved.
package struct ArrangedPage: Equatable {
    package let label: String?
    package let parts: [ArrangedPart]
}

package indirect enum ArrangedPart: Equatable {
    case text(String)
    case field(FormField)
    case table
    case section(label: String?, [ArrangedPart])
}

extension DataForm {
    /// The pages in order, without hidden fields. Fields on no page come last; a form without layout is one page.
    ///
    /// It omits references to missing fields. The first of several references to one field counts.
    package func arrangement(registry: FormRegistry = .standard) -> [ArrangedPage] {
        var arranger = FormArranger(self, registry)
        var arranged = pages.map { page in ArrangedPage(label: page.label, parts: arranger.arrange(page.parts)) }
        let rest = arranger.rest
        if !rest.isEmpty || arranged.isEmpty { arranged.append(ArrangedPage(label: nil, parts: rest)) }
        return arranged
    }
}

private struct FormArranger {
    private let shown: [FormField]
    /// The positions of the fields that the layout can still refer to.
    private var remaining: [ExactString: Int]
    private var isTableRemaining: Bool
    private var placed: Set<Int> = []

    init(_ form: DataForm, _ registry: FormRegistry) {
        let type = form.fieldTypes(in: registry)
        let shown = form.fields.filter { type($0) != .hidden }
        self.shown = shown
        let named = shown.indices.compactMap { index in shown[index].name.map { (ExactString($0), index) } }
        remaining = Dictionary(named) { first, _ in first }
        isTableRemaining = form.reported != nil || !form.items.isEmpty
    }

    mutating func arrange(_ parts: [LayoutPart]) -> [ArrangedPart] {
        var arranged: [ArrangedPart] = []
        for part in parts {
            switch part {
            case .text(let text): arranged.append(.text(text))
            case .field(let name):
                guard let index = remaining.removeValue(forKey: ExactString(name)) else { continue }
                placed.insert(index)
                arranged.append(.field(shown[index]))
            case .table:
                if isTableRemaining { arranged.append(.table) }
                isTableRemaining = false
            case .section(let section): arranged.append(.section(label: section.label, arrange(section.parts)))
            }
        }
        return arranged
    }

    /// The parts that have not been arranged.
    var rest: [ArrangedPart] {
        shown.indices.filter { !placed.contains($0) }.map { .field(shown[$0]) } + (isTableRemaining ? [.table] : [])
    }
}
