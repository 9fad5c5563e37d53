// Members of JSON lines: those with the stanzas, and those that rows show. Dots separate the names on a path.

/// The members of a line that matter.
struct LineMembers: Sendable {
    /// The paths of the members that may have the stanza, the preferred one first.
    var stanzas = [["xml"]]
    /// Whether such a member may have other text around its stanzas.
    var mayHaveText = false
    /// The members that come along with the stanzas.
    var kept: [[String]] = []

    /// The name to search for without reading the whole line, if that is enough.
    var onlyStanza: String? {
        kept.isEmpty && stanzas.count == 1 && stanzas[0].count == 1 ? stanzas[0][0] : nil
    }

    func name(_ index: Int) -> String { stanzas[index].joined(separator: ".") }

    /// The names of the members, for a message.
    var shown: String { stanzas.indices.map { "'\(name($0))'" }.joined(separator: " or ") }

    /// The member of an object that has the stanza.
    func stanza(in object: JSONValue) -> (name: String, member: JSONMember)? {
        for (index, path) in stanzas.enumerated() {
            if let member = object.member(at: path) { return (name(index), member) }
        }
        return nil
    }

    /// The values of the members that come along.
    func kept(of object: JSONValue) -> [JSONValue] { kept.map { object.member(at: $0)?.value ?? .null } }

    /// The option that names the member with markup.
    func advice(for object: JSONValue) -> String {
        guard let path = object.pathToMarkup(depth: 3) else { return "" }
        return "; '--member \(path.joined(separator: ".").withoutControls)' names the one with markup"
    }

    /// The names on a path: `stanza.xml` is the member `xml` of the object in `stanza`.
    static func names(_ path: Substring) -> [String] { path.split(separator: ".").map { String($0) } }
}

extension JSONValue {
    /// The member at the end of a path. A member may have the dots in its name.
    func member(at path: [String]) -> JSONMember? {
        if let member = object?.member(path.joined(separator: ".")) { return member }
        var found = JSONMember(name: "", value: self)
        for name in path {
            guard let member = found.value.object?.member(name) else { return nil }
            found = member
        }
        return found
    }

    /// The path of the first string that may have an element.
    fileprivate func pathToMarkup(depth: Int) -> [String]? {
        for member in object ?? [] where depth > 0 {
            if let text = member.value.string?.utf8 {
                if text.contains(UInt8(ascii: "<")), text.contains(UInt8(ascii: ">")) { return [member.name] }
            } else if let path = member.value.pathToMarkup(depth: depth - 1) {
                return [member.name] + path
            }
        }
        return nil
    }
}
