// Names that nothing has, or hardly anything: those with a colon or a dot. What a name was meant as depends on what
// stands before the colon.

import QuerySyntax

extension TextCheck {
    /// What is wrong with the names of a segment.
    func names(in segment: Segment) -> [QueryRemark] {
        var findings = segment.filters.compactMap { attribute($0.attribute, at: $0.attributeRange) }
        guard case .elements(let test) = segment.step else { return findings }
        switch test.name {
        case .named(let name): element(name, test.namespace, at: segment.range).map { findings.insert($0, at: 0) }
        case .not(let name): excluded(name, at: segment.range).map { findings.insert($0, at: 0) }
        case .any, .slot, .notSlot: break
        }
        return findings
    }

    /// What is wrong with the name of the attribute that is the result.
    var extractedName: [QueryRemark] {
        guard case .attribute(let name)? = query.tree.extraction, let range = query.tree.extractionRange else {
            return []
        }
        return [attribute(name, at: range)].compactMap { $0 }
    }

    private func element(
        _ name: String, _ namespace: ElementTest.NamespaceTest, at range: SourceRange
    ) -> QueryRemark? {
        guard let colon = ColonName(name) else { return dotted(name, at: range) }
        let stream = "http://etherx.jabber.org/streams"
        let hint: String?
        switch (namespace, colon.prefix) {
        case (.inherited, _) where colon.isNamespace:
            return withoutBraces("element", colon, at: range)
        case (.inherited, "stream"), (.any, "stream"): hint = repair(stream, colon)
        case (.any, _): hint = repair("*", colon)
        case (.named(let uri), _): hint = repair(uri, colon)
        case (.slot, _): hint = nil
        case (.inherited, let prefix?): hint = "write '{namespace}\(colon.local)', with what '\(prefix)' is bound to"
        case (.inherited, nil): hint = nil
        }
        return QueryRemark(
            kind: .colonInName, message: "no element has the name '\(name)': \(colon.reason)", hint: hint, range: range)
    }

    /// `.` is the element itself and a separator in other languages, and here a character of names. No name begins with
    /// one (XML 1.0 §2.3), so such a test fails always; another name with a dot may be one.
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
            hint: "did you mean '\(path)'?", range: range)
    }

    private func repair(_ namespace: String, _ colon: ColonName) -> String? {
        colon.prefix == nil ? nil : "did you mean '{\(namespace)}\(colon.local)'?"
    }

    /// `!stream:error` is every element.
    private func excluded(_ name: String, at range: SourceRange) -> QueryRemark? {
        guard let colon = ColonName(name) else { return nil }
        return QueryRemark(
            kind: .colonInName, message: "every element has another name than '\(name)': \(colon.reason)", range: range)
    }

    /// The names of attributes have a prefix, but no two, and namespaces are none.
    private func attribute(_ attribute: AttributeName, at range: SourceRange) -> QueryRemark? {
        guard case .qualified(let name) = attribute, let colon = ColonName(name), colon.prefix == nil,
            colon.isNamespace
        else { return nil }
        return withoutBraces("attribute", colon, at: range)
    }

    private func withoutBraces(_ kind: String, _ colon: ColonName, at range: SourceRange) -> QueryRemark {
        QueryRemark(
            kind: .namespaceNeedsBraces,
            message: "no \(kind) has the name '\(colon.name)': a namespace stands in braces, '{namespace}name'",
            hint: colon.split.map { "did you mean '{\($0.namespace)}\($0.name)'?" }, range: range)
    }
}

/// A name with a colon in it.
struct ColonName {
    let name: String
    private let parts: [Substring.UTF8View]

    /// `nil` for a name without.
    init?(_ name: String) {
        self.name = name
        parts = name.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { Substring($0).utf8 }
        if parts.count < 2 { return nil }
    }

    private var first: String { String(decoding: parts[0], as: UTF8.self) }

    /// What stands before the only colon, if there is something on both sides of it.
    var prefix: String? {
        parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty ? first : nil
    }

    /// What stands behind the last colon.
    var local: String { String(decoding: parts[parts.count - 1], as: UTF8.self) }

    /// Whether a namespace was meant, not a prefix: those of XMPP begin in one of these ways.
    var isNamespace: Bool { ["urn", "jabber", "http", "https"].contains(first) && !parts[1].isEmpty }

    /// Namespace and name, where one can see the end of the one: `urn:xmpp:foo:0name`, as no name begins with a digit.
    var split: (namespace: String, name: String)? {
        guard parts.count > 2, first == "urn", let last = parts.last else { return nil }
        let digits = last.prefix { (0x30...0x39).contains($0) }
        let rest = last[digits.endIndex...]
        // What no name begins with.
        guard !digits.isEmpty, let begin = rest.first, !"-.".utf8.contains(begin) else { return nil }
        let local = String(decoding: rest, as: UTF8.self)
        return (String(decoding: name.utf8.dropLast(rest.count), as: UTF8.self), local)
    }

    /// Why nothing has this name.
    var reason: String {
        guard let prefix else { return "names have no colon here, and namespaces stand in braces" }
        return "names have no colon here; the prefix '\(prefix)' would stand for a namespace, which stands in braces"
    }
}
