// Renders a form as text for a terminal: fields next to their labels, and items as a table.

import FormModel

extension DataForm {
    /// Renders the form as text for a terminal: title and instructions, fields with labels in one column and values in
    /// another, and items as a table. Required fields have an asterisk.
    ///
    /// It masks the values of `text-private` fields and omits hidden fields. No text in the form can control the
    /// terminal.
    ///
    /// - Parameters:
    ///   - width: The columns of the terminal; at least 20. A larger number wraps less.
    ///   - registry: The types of fields for which the form gives none. They decide which values are masked.
    public func rendered(width: Int = 80, registry: FormRegistry = .standard) -> String {
        var renderer = FormRenderer(
            form: self, width: min(max(20, width), FormRenderer.maximumWidth), registry: registry)
        renderer.render()
        return renderer.lines.map { $0 + "\n" }.joined()
    }
}

extension DataForm: CustomStringConvertible {
    /// The form as text for a terminal, with the standard registry. See `rendered(width:registry:)`.
    public var description: String { rendered() }
}

struct FormRenderer {
    let form: DataForm
    let width: Int
    private let registry: FormRegistry
    /// The effective type of a field.
    let type: (FormField) -> FieldType
    private(set) var lines: [String] = []
    /// The columns of the labels.
    let labelWidth: Int
    /// Whether a field gets an asterisk, which the last line explains.
    private let hasRequiredField: Bool

    /// The maximum width, which keeps sums and products of widths from overflowing.
    static let maximumWidth = Int(Int32.max)

    /// The maximum share of the width for labels; longer labels wrap.
    private static let labelShare = 0.45

    init(form: DataForm, width: Int, registry: FormRegistry) {
        self.form = form
        self.width = width
        self.registry = registry
        let type = form.fieldTypes(in: registry)
        self.type = type
        let labeled = form.fields.filter { type($0) != .hidden && type($0) != .fixed }
        hasRequiredField = labeled.contains(where: \.isRequired)
        let longest = labeled.map { $0.shownLabel.columnCount }.max() ?? 0
        labelWidth = min(longest, Int(Double(width) * Self.labelShare))
    }

    mutating func render() {
        if let title = form.title { heading(title, underline: "=") }
        for text in form.instructions { paragraph(text) }
        for page in form.arrangement(registry: registry) {
            if let label = page.label { heading(label, underline: "-") }
            render(page.parts)
        }
        if hasRequiredField {
            separate()
            add("* required")
        }
    }

    private mutating func render(_ parts: [ArrangedPart]) {
        for part in parts {
            switch part {
            case .text(let text): paragraph(text)
            case .field(let field): render(field)
            case .table: renderTable()
            case .section(let label, let parts):
                if let label { heading(label, underline: nil) }
                render(parts)
            }
        }
    }

    // MARK: Lines

    mutating func add(_ line: String) {
        var line = line
        while line.last == " " { line.removeLast() }
        lines.append(line)
    }

    /// Adds an empty line, unless the last line is empty or no line exists.
    mutating func separate() {
        if let last = lines.last, !last.isEmpty { lines.append("") }
    }

    private mutating func heading(_ text: String, underline: Character?) {
        separate()
        let text = text.oneLine.cut(to: width)
        add(text)
        if let underline { add(String(repeating: underline, count: text.columnCount)) }
    }

    mutating func paragraph(_ text: String) {
        let text = text.oneLine
        if !text.isEmpty { for line in text.wrapped(to: width) { add(line) } }
    }

    /// Adds a label in the first column, with its content next to it.
    mutating func entry(_ label: String, isRequired: Bool, _ content: [String]) {
        let labels = labelWidth > 0 ? label.wrapped(to: labelWidth) : [""]
        for row in 0..<max(labels.count, content.count) {
            let label = row < labels.count ? labels[row] : ""
            let text = row < content.count ? content[row] : ""
            add((row == 0 && isRequired ? "* " : "  ") + label.filled(to: labelWidth) + "  " + text)
        }
    }

    /// The number of columns next to the labels.
    var contentWidth: Int { width - labelWidth - 4 }
}

extension FormField {
    /// The label, or else the name.
    package var shownLabel: String { (label.flatMap { $0.isEmpty ? nil : $0 } ?? name ?? "").oneLine }
}

extension FormRenderer {
    mutating func render(_ field: FormField) {
        let type = type(field)
        if type == .fixed {
            separate()
            for value in field.values { paragraph(value) }
            return
        }
        var content = values(of: field, type)
        if let media = field.media {
            content += media.uris.flatMap {
                "<\(($0.type ?? "medium").oneLine) \($0.uri.oneLine)>".wrapped(to: contentWidth)
            }
        }
        if let description = field.description {
            content += "(\(description.oneLine))".wrapped(to: contentWidth)
        }
        entry(field.shownLabel, isRequired: field.isRequired, content)
    }

    /// The values, or the options with marks at the chosen ones.
    private func values(of field: FormField, _ type: FieldType) -> [String] {
        switch type {
        case .textPrivate:
            return field.values.contains { !$0.isEmpty } ? [String(FormField.mask.prefix(contentWidth))] : [""]
        case .boolean: return field.value.map { $0.shownBoolean.wrapped(to: contentWidth) } ?? []
        case .listSingle, .listMulti:
            if field.options.isEmpty { break }
            let marks = type == .listSingle ? ("(*)", "( )") : ("[x]", "[ ]")
            let chosen = Set(field.values.map(ExactString.init))
            let offered = Set(field.options.map { ExactString($0.value) })
            let others = field.values.filter { !offered.contains(ExactString($0)) }.map { FieldOption($0) }
            return (field.options + others).flatMap { option in
                let mark = chosen.contains(ExactString(option.value)) ? marks.0 : marks.1
                return hanging(mark, option.shownLabel)
            }
        case .fixed, .hidden, .jidMulti, .jidSingle, .textMulti, .textSingle: break
        }
        return field.values.flatMap { $0.oneLine.wrapped(to: contentWidth) }
    }

    private func hanging(_ mark: String, _ text: String) -> [String] {
        let lines = text.wrapped(to: contentWidth - mark.count - 1)
        return lines.enumerated().map {
            ($0.offset == 0 ? mark : String(repeating: " ", count: mark.count)) + " " + $0.element
        }
    }
}

extension String {
    /// The value of a boolean field as a word, or as it is written if it is invalid.
    var shownBoolean: String { Bool(exactFieldValue: self).map { $0 ? "yes" : "no" } ?? oneLine }
}

extension FieldOption {
    /// The label, or else the value.
    package var shownLabel: String { (label.flatMap { $0.isEmpty ? nil : $0 } ?? value).oneLine }
}

extension FormField {
    /// The text that replaces a hidden value, whatever its length.
    package static let mask = "********"
}

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
