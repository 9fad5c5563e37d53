// Finds the completions at the end of a part of a query. It looks only at marks, because an unfinished query cannot be
// parsed.

/// The place where a query is being typed.
struct CompletionPoint: Equatable {
    /// The kind of text that can be typed there.
    enum Wanted: Equatable {
        /// A local name, in a namespace if one precedes it.
        case element(namespace: String?)
        case namespace
        /// An attribute of an element with that name, if one precedes it.
        case attribute(element: String?)
        /// A namespace that attributes have: one in braces.
        case attributeNamespace
        /// The local name of an attribute in that namespace.
        case expandedAttribute(namespace: String)
        case formType
        /// The type of a form with that FORM_TYPE: `form`, `result` and so on.
        case formKind(formType: String?)
        /// The name of a field of a form of that type.
        case field(formType: String?)
        case conversion
        /// A value, a pattern, or nothing at all.
        case nothing
    }

    let wanted: Wanted
    /// The part of it that is typed already.
    let typed: String

    /// The end of a text. The cost is linear in its length.
    init(endOf text: String) {
        var scan = QueryScan(text)
        wanted = scan.run()
        typed = scan.token
    }
}

/// Scans the typed beginning of a query.
private struct QueryScan {
    private var rest: Substring.UnicodeScalarView
    /// The token that the text ends in.
    private(set) var token = ""
    private var namespace: String?
    private var element: String?

    init(_ text: String) {
        rest = text[...].unicodeScalars
    }

    mutating func run() -> CompletionPoint.Wanted {
        while true {
            (namespace, element) = (nil, nil)
            if let wanted = segment() { return wanted }
        }
    }

    /// Reads up to one of some marks, and passes it; `nil` at the end of the text.
    private mutating func read(until marks: Set<Unicode.Scalar>) -> Unicode.Scalar? {
        token = ""
        while let scalar = rest.popFirst() {
            if marks.contains(scalar) { return scalar }
            token.unicodeScalars.append(scalar)
        }
        return nil
    }

    /// Reads a segment with its '/'; returns the wanted kind where the text ends.
    private mutating func segment() -> CompletionPoint.Wanted? {
        if rest.first == "{" {
            rest.removeFirst()
            guard read(until: ["}"]) != nil else { return .namespace }
            namespace = token
        }
        if rest.first == "!" { rest.removeFirst() }
        guard var mark = read(until: ["/", "<", "@", "#", "$", "\\"]) else { return .element(namespace: namespace) }
        if !token.isEmpty, token != "*" { element = token }
        while mark == "<" {
            if let wanted = filter() { return wanted }
            guard let next = read(until: ["/", "<", "@", "#", "$", "\\"]) else {
                token = ""
                return .nothing
            }
            mark = next
        }
        switch mark {
        case "/": return nil
        case "@": return attributes() ?? attribute(until: ["|"]) ?? conversion()
        case "\\": return form()
        default: return conversion(behind: read(until: ["|"]))
        }
    }

    /// Reads a filter after its '<'.
    private mutating func filter() -> CompletionPoint.Wanted? {
        if let wanted = attribute(until: ["=", "~"]) { return wanted }
        return read(until: [">"]) == nil ? .nothing : nil
    }

    private mutating func attribute(until marks: Set<Unicode.Scalar>) -> CompletionPoint.Wanted? {
        // In Clark notation a namespace comes first.
        if rest.first == "{" {
            rest.removeFirst()
            guard read(until: ["}"]) != nil else { return .attributeNamespace }
            let namespace = token
            return read(until: marks) == nil ? .expandedAttribute(namespace: namespace) : nil
        }
        return read(until: marks) == nil ? .attribute(element: element) : nil
    }

    /// Reads the second '@' of '@@', which must end the query.
    private mutating func attributes() -> CompletionPoint.Wanted? {
        rest.first == "@" ? nothing() : nil
    }

    /// Reads a form query after its backslash.
    private mutating func form() -> CompletionPoint.Wanted? {
        var formType: String?
        if rest.first == "{" {
            rest.removeFirst()
            guard read(until: ["}"]) != nil else { return .formType }
            formType = token == "*" ? nil : token
        }
        guard var mark = read(until: ["[", "@", "&", "\\"]) else { return .formKind(formType: formType) }
        if mark == "[" {
            guard let next = read(until: ["@", "&", "\\"]) else { return .nothing }
            mark = next
        }
        if mark != "\\", read(until: ["\\"]) == nil { return .field(formType: formType) }
        return mark == "@" ? conversion(behind: read(until: ["|"])) : nothing()
    }

    /// Reads a part that must end the query.
    private mutating func nothing() -> CompletionPoint.Wanted {
        _ = read(until: [])
        return .nothing
    }

    private mutating func conversion(behind mark: Unicode.Scalar?) -> CompletionPoint.Wanted? {
        mark == nil ? .nothing : conversion()
    }

    private mutating func conversion() -> CompletionPoint.Wanted {
        read(until: []) == nil ? .conversion : .nothing
    }
}
