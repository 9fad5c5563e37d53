// Renders a form as text for a terminal. FormRenderer+Table.swift renders tables, FormRenderer+Fields.swift fields.

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
