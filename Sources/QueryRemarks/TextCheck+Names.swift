// Remarks on names that match nothing or very little: those with a colon or a dot. The part before the colon shows
// whether the author meant a prefix or a namespace.

import QuerySyntax

extension TextCheck {
    func name(of node: QueryNode) -> QueryRemark? {
        switch node.content {
        case .elements(let test):
            switch test.name {
            case .named(let name): query.tree.text(of: name).flatMap { element($0, test.namespace, at: node.range) }
            case .not(let name): query.tree.text(of: name).flatMap { excluded($0, at: node.range) }
            case .any: nil
            }
        case .filter(let filter): attribute(filter.attribute, at: filter.name.range)
        case .extraction(.attribute(let name)): attribute(name, at: node.range)
        case .ascend, .selfNode, .part, .extraction, .conversion: nil
        }
    }

    private func element(
        _ name: String, _ namespace: ElementTest.NamespaceTest, at range: SourceRange
    ) -> QueryRemark? {
        if case .named(let uri) = namespace, let text = query.tree.text(of: uri) {
            let bare = Substring(Self.unquoted(Substring(text).utf8))
            if bare.utf8.count < text.utf8.count {
                return QueryRemark(
                    kind: .foreignValue, message: Self.inQuotes("namespace") + " compared, too",
                    hint: bare.isEmpty ? nil : "did you mean '{\(bare)}\(name)'?", range: range)
            }
        }
        guard let colon = ColonName(name) else { return dotted(name, at: range) }
        let stream = "http://etherx.jabber.org/streams"
        let hint: String?
        switch (namespace, colon.prefix) {
        case (.inherited, _) where colon.isNamespace:
            return withoutBraces("element", colon, at: range)
        case (.inherited, "stream"), (.any, "stream"): hint = repair(stream, colon)
        case (.any, _): hint = repair("*", colon)
        case (.named(let uri), _): hint = query.tree.text(of: uri).flatMap { repair($0, colon) }
        case (.inherited, let prefix?): hint = "write '{namespace}\(colon.local)', with the namespace of '\(prefix)'"
        case (.inherited, nil):
            // The axis of XPath that a path follows here.
            hint = name.hasPrefix("child::") && colon.hasLocal ? "did you mean '\(colon.local)'?" : nil
        }
        return QueryRemark(
            kind: .colonInName, message: "no element has the name '\(name)': \(colon.reason)", hint: hint, range: range)
    }

    /// The remark on a name with a dot. Other languages use `.` for the element itself or as a separator; here it is a
    /// character of names. No name begins with a dot (XML 1.0 §2.3), so such a test always fails. Other names with a
    /// dot may exist.
    private func dotted(_ name: String, at range: SourceRange) -> QueryRemark? {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: true)
        guard name.utf8.contains(UInt8(ascii: ".")) else { return nil }
        if parts.isEmpty {
            return QueryRemark(
                kind: .dotInName, message: "no element has the name '\(name)'",
                hint: "leave it out: a path begins at the element itself", range: range)
        }
        let path = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
        return QueryRemark(
            kind: .dotInName, message: "'\(name)' is one name: segments are separated by '/'",
            hint: parts.allSatisfy(canBeginName) ? "did you mean '\(path)'?" : nil, range: range)
    }

    private func repair(_ namespace: String, _ colon: ColonName) -> String? {
        colon.prefix == nil || !colon.hasLocal ? nil : "did you mean '{\(namespace)}\(colon.local)'?"
    }

    /// The remark on an excluded name with a colon: `!stream:error` matches every element.
    private func excluded(_ name: String, at range: SourceRange) -> QueryRemark? {
        guard let colon = ColonName(name) else { return nil }
        return QueryRemark(
            kind: .colonInName, message: "every element has another name than '\(name)': \(colon.reason)", range: range)
    }

    /// The remark on the name of an attribute: it may have one prefix, but not two, and a namespace is not a name.
    private func attribute(_ attribute: AttributeName, at range: SourceRange) -> QueryRemark? {
        guard attribute.namespace == nil, let name = query.tree.text(of: attribute.name),
            let colon = ColonName(name), colon.prefix == nil, colon.isNamespace
        else { return nil }
        return withoutBraces("attribute", colon, at: range)
    }

    private func withoutBraces(_ kind: String, _ colon: ColonName, at range: SourceRange) -> QueryRemark {
        QueryRemark(
            kind: .namespaceNeedsBraces,
            message: "no \(kind) has the name '\(colon.name)': write a namespace in braces, '{namespace}name'",
            hint: colon.split.map { "did you mean '{\($0.namespace)}\($0.name)'?" }, range: range)
    }
}

/// Whether a text begins as names of XML do: not with a digit, a hyphen or a dot.
private func canBeginName(_ text: Substring.UTF8View) -> Bool {
    text.first.map { !"0123456789-.".utf8.contains($0) } ?? false
}

struct ColonName {
    let name: String
    private let parts: [Substring.UTF8View]

    /// `nil` for a name without a colon.
    init?(_ name: String) {
        self.name = name
        parts = name.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { Substring($0).utf8 }
        if parts.count < 2 { return nil }
    }

    private var first: String { String(decoding: parts[0], as: UTF8.self) }

    /// The text before the only colon, if both sides have text.
    var prefix: String? {
        parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty ? first : nil
    }

    /// The text after the last colon.
    var local: String { String(decoding: parts[parts.count - 1], as: UTF8.self) }

    /// Whether that can be a name.
    var hasLocal: Bool { canBeginName(parts[parts.count - 1]) }

    /// Whether the author meant a namespace, not a prefix: the namespaces of XMPP begin with one of these words.
    var isNamespace: Bool { ["urn", "jabber", "http", "https"].contains(first) && !parts[1].isEmpty }

    /// The namespace and the name, if the end of the namespace is certain: `urn:xmpp:foo:0name`, because a name cannot
    /// begin with a digit.
    var split: (namespace: String, name: String)? {
        guard parts.count > 2, first == "urn", let last = parts.last else { return nil }
        let digits = last.prefix { (0x30...0x39).contains($0) }
        let rest = last[digits.endIndex...]
        guard !digits.isEmpty, canBeginName(rest) else { return nil }
        let local = String(decoding: rest, as: UTF8.self)
        return (String(decoding: name.utf8.dropLast(rest.count), as: UTF8.self), local)
    }

    /// The reason why nothing has this name.
    var reason: String {
        guard let prefix else { return "names have no colon here, and namespaces need braces" }
        return "names have no colon here; write the namespace of the prefix '\(prefix)' in braces"
    }
}
