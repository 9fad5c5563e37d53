// Renders items as a table.

import FormModel

extension FormRenderer {
    /// Adds a row for each item, below the header's labels. Cuts columns that are too wide, the widest first.
    mutating func renderTable() {
        let all = tableColumns
        let columns = all.prefix(mostColumns)
        if columns.isEmpty { return }
        let labels = columns.map(\.shownLabel)
        let rows = form.items.map { item in
            let fields = item.fields.byName
            return columns.map { column in cell(column.name.flatMap { fields[ExactString($0)] }, of: column) }
        }
        let widths = fitted(
            labels.indices.map { column in
                max(1, labels[column].columnCount, rows.map { $0[column].columnCount }.max() ?? 0)
            })
        separate()
        add(line(labels, widths))
        add(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
        for row in rows { add(line(row, widths)) }
        if rows.isEmpty { add("(nothing)") }
        if all.count > columns.count { add("(and \(all.count - columns.count) more columns)") }
    }

    /// The maximum number of columns that fit, even if each is as narrow as possible.
    private var mostColumns: Int { (width + 2) / 3 }

    /// The visible fields of the header; without a header, all fields of the items, in order of appearance.
    private var tableColumns: [FormField] {
        if let reported = form.reported { return reported.filter { $0.name != nil && type($0) != .hidden } }
        var seen: Set<ExactString> = [ExactString(FormField.formTypeName)]
        return form.items.flatMap(\.fields).filter { field in
            type(field) != .hidden && field.name.map { seen.insert(ExactString($0)).inserted } ?? false
        }
    }

    private func cell(_ field: FormField?, of column: FormField) -> String {
        guard let field else { return "" }
        let type = field.type ?? type(column)
        switch type {
        case .textPrivate: return field.values.isEmpty ? "" : FormField.mask
        case .boolean: return field.value?.shownBoolean ?? ""
        default: return field.values.map(\.oneLine).joined(separator: ", ")
        }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        zip(cells, widths).map { $0.cut(to: $1).filled(to: $1) }.joined(separator: "  ")
    }

    /// Returns widths that fit the terminal: it cuts all columns that exceed a common width to this width.
    private func fitted(_ widths: [Int]) -> [Int] {
        let room = width - 2 * (widths.count - 1)
        var limit = min(widths.max() ?? 0, room)
        while limit > 1, widths.reduce(0, { $0 + min($1, limit) }) > room { limit -= 1 }
        return widths.map { min($0, limit) }
    }
}
