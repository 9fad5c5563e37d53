// Renders fields next to their labels.

import FormModel

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
