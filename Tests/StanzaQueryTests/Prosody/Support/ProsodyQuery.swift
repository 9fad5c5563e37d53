// Prosody's language: how its stanza:find parses a query. Only the syntax, to identify the forms of the language in a
// query; Prosody itself decides their meaning.

/// A query as Prosody reads it.
///
/// Segments follow each other directly, each followed by its one `/` or `#`; an `@` where a segment could begin takes
/// all the rest.
struct ProsodyQuery {
    enum Separator {
        case slash
        case hash
    }

    struct Segment {
        var namespace: String?
        var name = ""
        var separator: Separator?

        /// Neither a namespace nor a name.
        var isBare: Bool { namespace == nil && name.isEmpty }
    }

    private(set) var segments: [Segment] = []
    /// The name after an `@`, which ends the path.
    private(set) var attribute: String?
    /// A brace without its partner, or without anything between: Prosody reads the query from its beginning again and
    /// finds nothing in the end.
    private(set) var isBroken = false

    init(_ text: String) {
        var rest = Substring(text).utf8
        repeat {
            if rest.first == UInt8(ascii: "@") {
                attribute = String(Substring(rest.dropFirst()))
                return
            }
            var segment = Segment()
            if rest.first == UInt8(ascii: "{") {
                let uri = rest.dropFirst().prefix { $0 != UInt8(ascii: "}") }
                guard !uri.isEmpty, uri.endIndex < rest.endIndex else {
                    isBroken = true
                    return
                }
                segment.namespace = String(Substring(uri))
                rest = rest[rest.index(after: uri.endIndex)...]
            }
            let name = rest.prefix { !"@/#".utf8.contains($0) }
            segment.name = String(Substring(name))
            rest = rest[name.endIndex...]
            switch rest.first {
            case UInt8(ascii: "/"): segment.separator = .slash
            case UInt8(ascii: "#"): segment.separator = .hash
            default: break
            }
            if segment.separator != nil { rest = rest.dropFirst() }
            segments.append(segment)
        } while !rest.isEmpty
    }

    /// Whether all names are ones that elements and attributes of Prosody's trees can have. Others are without a
    /// meaning in Prosody, and some of them have one in ours: `*`, `..`, `!a`, `a<k=v>`, `@p:k`.
    var hasOrdinaryNames: Bool {
        func isOrdinary(_ name: String) -> Bool {
            guard let first = name.unicodeScalars.first else { return false }
            return first.properties.isXIDStart
                && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || $0 == "-" }
        }
        guard !isBroken, segments.allSatisfy({ $0.name.isEmpty || isOrdinary($0.name) }) else { return false }
        // The wildcard, where Prosody has a namespace of that name.
        guard !segments.contains(where: { $0.namespace == "*" }) else { return false }
        return attribute.map { isOrdinary($0) || $0 == "xml:lang" } ?? true
    }

    /// The building blocks of Prosody's language.
    enum Form: String, CaseIterable {
        case childByName = "name"
        case childByFullName = "{ns}name"
        case childByNamespace = "{ns}"
        case path = "a/b"
        case longPath = "a/b/c"
        case namespaceInPath = "{ns}/a"
        case text = "name#"
        case textByFullName = "{ns}name#"
        case textByNamespace = "{ns}#"
        case textOfFirstChild = "#"
        case textOfFirstChildOfPath = "a/#"
        case attributeOfContext = "@attr"
        case attribute = "name@attr"
        case attributeByFullName = "{ns}name@attr"
        case attributeByNamespace = "{ns}@attr"
        case attributeBehindSlash = "a/@attr"
        case namespaceAttribute = "@xmlns"
        case languageAttribute = "@xml:lang"
    }

    /// The forms of this query. They do not count if the query is malformed in our language.
    var forms: Set<Form> {
        var forms: Set<Form> = []
        guard !isBroken else { return forms }
        if segments.count > 1 { forms.insert(.path) }
        if segments.count > 2 { forms.insert(.longPath) }
        if segments.dropLast().contains(where: { $0.name.isEmpty }) { forms.insert(.namespaceInPath) }
        if let attribute {
            if attribute == "xmlns" { forms.insert(.namespaceAttribute) }
            if attribute == "xml:lang" { forms.insert(.languageAttribute) }
        }
        guard let last = segments.last else { return forms.union([.attributeOfContext]) }
        if attribute != nil, last.separator == .slash { return forms.union([.attributeBehindSlash]) }
        let hasHash = last.separator == .hash
        switch (last.namespace != nil, !last.name.isEmpty) {
        case (true, true):
            forms.insert(attribute != nil ? .attributeByFullName : hasHash ? .textByFullName : .childByFullName)
        case (true, false):
            forms.insert(attribute != nil ? .attributeByNamespace : hasHash ? .textByNamespace : .childByNamespace)
        case (false, true):
            forms.insert(attribute != nil ? .attribute : hasHash ? .text : .childByName)
        case (false, false):
            if hasHash { forms.insert(segments.count == 1 ? .textOfFirstChild : .textOfFirstChildOfPath) }
        }
        return forms
    }
}
