// One result as one line of text.

import Foundation
import SafeText
import StanzaQuery

extension QueryResult where Node == Element {
    /// Appends the result without a line break.
    ///
    /// Backslashes, line breaks, and other control and format characters but tabs are escaped in text: a terminal
    /// might obey them. In XML they are character references, so that the line still is the element. The pretty layout
    /// keeps line breaks.
    func writeLine(to bytes: inout [UInt8], _ layout: XMLFormat = .compact) {
        if let element = element ?? form?.element {
            let start = bytes.count
            element.write(to: &bytes, format: layout)
            bytes.spell(from: start, as: .references(keepingLineBreaks: layout == .pretty))
        } else {
            bytes += valueLine.utf8
        }
    }

    /// A result other than an element, in one line. Strings are escaped; JSON is escaped already; other values contain
    /// nothing to escape.
    var valueLine: String {
        if case .string(let string) = self { string.escapedForLine } else { text }
    }

    /// The result as text: `@@` and `&field` as JSON, values the way XMPP writes them, elements as XML.
    package var text: String {
        switch self {
        case .element(let element): element.xmlString()
        case .string(let string): string
        case .attributes(let attributes): attributes.json.text
        case .bool(let bool): bool ? "true" : "false"
        case .int(let int): String(int)
        case .uint(let uint): String(uint)
        case .double(let double): double.description
        case .date(let date): date.dateTimeText
        case .data(let data): Data(data).base64EncodedString()
        case .uuid(let uuid): uuid.uuidString.lowercased()
        case .form(let form): form.element.xmlString()
        case .field(let field): field.json.text
        }
    }
}
