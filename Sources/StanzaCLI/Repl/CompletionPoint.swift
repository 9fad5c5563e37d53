// Finds the place at the end of an unfinished query. It looks only at marks, because an unfinished query cannot be
// parsed. StanzaVocabulary.swift has the texts that fit there.

/// The place where a query is being typed.
struct CompletionPoint: Equatable {
    /// The kind of text that can be typed there.
    enum Wanted: Equatable {
        /// A stanza's own name, after the first '/'.
        case root
        /// A child of the elements at the place.
        case element
        case attribute
        case value(attribute: String)
        case formType
        /// The type of a form with that FORM_TYPE: `form`, `result` and so on.
        case formKind(formType: String?)
        /// The name of a field of a form of that type.
        case field(formType: String?)
        case conversion
        /// A pattern, or nothing at all.
        case nothing
    }

    let wanted: Wanted
    /// The query for the elements at the place.
    let path: String
    /// The part of the wanted text that is typed already.
    let typed: String

    /// The end of a text. The cost is linear in its length.
    init(endOf text: String) {
        var scan = QueryScan(text)
        wanted = scan.run()
        let path = text[..<scan.end]
        self.path = String(path.last == "/" ? path.dropLast() : path)
        typed = String(text[scan.start...])
    }
}

/// Scans the typed beginning of a query.
private struct QueryScan {
    private let text: String
    private var rest: Substring.UnicodeScalarView
    /// The last mark.
    private var mark: String.Index
    /// The end of the path to the elements.
    private(set) var end: String.Index
    /// The beginning of the part that the text ends in.
    private(set) var start: String.Index

    private static let marks: Set<Unicode.Scalar> = ["/", "<", "@", "#", "$", "\\"]

    init(_ text: String) {
        self.text = text
        rest = text[...].unicodeScalars
        (mark, end, start) = (text.startIndex, text.startIndex, text.startIndex)
    }

    mutating func run() -> CompletionPoint.Wanted {
        while true {
            if let wanted = segment() { return wanted }
        }
    }

    /// Passes a text up to one of some marks, and the mark; `nil` at the end of the text.
    private mutating func pass(_ marks: Set<Unicode.Scalar>) -> Unicode.Scalar? {
        start = rest.startIndex
        while let scalar = rest.first {
            mark = rest.startIndex
            rest.removeFirst()
            if marks.contains(scalar) { return scalar }
        }
        return nil
    }

    /// Passes a name, which may have a namespace in braces.
    private mutating func passName(_ marks: Set<Unicode.Scalar>) -> Unicode.Scalar? {
        let beginning = rest.startIndex
        defer { start = beginning }
        if rest.first == "{", pass(["}"]) == nil { return nil }
        return pass(marks)
    }

    /// The text between the last two marks.
    private var token: String { String(text[start..<mark]) }

    /// Reads a segment with its '/'; returns the wanted kind where the text ends.
    private mutating func segment() -> CompletionPoint.Wanted? {
        end = rest.startIndex
        guard var sign = passName(Self.marks) else { return text[..<end] == "/" ? .root : .element }
        while sign == "<" {
            if let wanted = filter() { return wanted }
            guard let next = pass(Self.marks) else { return .nothing }
            sign = next
        }
        end = mark
        switch sign {
        case "/": return nil
        case "@":
            if rest.first == "@" { return .nothing }
            return passName(["|"]) == nil ? .attribute : conversion()
        case "\\": return form()
        default: return pass(["|"]) == nil ? .nothing : conversion()
        }
    }

    /// Reads a filter after its '<'.
    private mutating func filter() -> CompletionPoint.Wanted? {
        end = mark
        guard let condition = passName(["=", "~"]) else { return .attribute }
        let attribute = token
        if pass([">"]) != nil { return nil }
        return condition == "=" ? .value(attribute: attribute) : .nothing
    }

    /// Reads a form query after its backslash.
    private mutating func form() -> CompletionPoint.Wanted? {
        var formType: String?
        if rest.first == "{" {
            rest.removeFirst()
            guard pass(["}"]) != nil else { return .formType }
            formType = token == "*" ? nil : token
        }
        guard var sign = pass(["[", "@", "&", "\\"]) else { return .formKind(formType: formType) }
        if sign == "[" {
            guard let next = pass(["@", "&", "\\"]) else { return .nothing }
            sign = next
        }
        if sign != "\\", pass(["\\"]) == nil { return .field(formType: formType) }
        return sign == "@" && pass(["|"]) != nil ? conversion() : .nothing
    }

    private mutating func conversion() -> CompletionPoint.Wanted {
        pass([]) == nil ? .conversion : .nothing
    }
}
