// Elements as JSON objects with their content, for `--json`.

import StanzaQuery

extension Element {
    /// Appends the element as an object: `name`, `namespace` if it has one, `attributes` by their names, and
    /// `children`, which are texts and elements in order.
    ///
    /// It takes no stack for nested elements: the user may allow any depth.
    func writeJSON(to bytes: inout [UInt8]) {
        var open = [content.makeIterator()]
        writeJSONTag(to: &bytes)
        var isFirst = true
        while var content = open.popLast() {
            guard let child = content.next() else {
                bytes += "]}".utf8
                isFirst = false
                continue
            }
            open.append(content)
            if !isFirst { bytes += ", ".utf8 }
            switch child {
            case .text(let text):
                JSONValue.string(text).write(to: &bytes)
                isFirst = false
            case .element(let element):
                element.writeJSONTag(to: &bytes)
                open.append(element.content.makeIterator())
                isFirst = true
            }
        }
    }

    /// The beginning of the object, up to its children.
    private func writeJSONTag(to bytes: inout [UInt8]) {
        var members = [JSONMember(name: "name", value: .string(name))]
        if let namespace { members.append(JSONMember(name: "namespace", value: .string(namespace))) }
        let attributes = attributes.map { JSONMember(name: $0.name, value: .string($0.value)) }
        members.append(JSONMember(name: "attributes", value: .object(attributes)))
        JSONValue.object(members).write(to: &bytes)
        bytes.removeLast()
        bytes += ", \"children\": [".utf8
    }
}

extension QueryResult where Node == Element {
    /// Appends the result as the member of an object: `"string": "…"`. Elements and forms have their content.
    func writeJSONMember(to bytes: inout [UInt8]) {
        if let element = element ?? form?.element {
            bytes += (form == nil ? "\"element\": " : "\"form\": ").utf8
            element.writeJSON(to: &bytes)
        } else {
            PlainResult(alone: self).json.writeMembers(to: &bytes)
        }
    }

    /// Appends the result as a value.
    func writeJSONValue(to bytes: inout [UInt8]) {
        if let element = element ?? form?.element { return element.writeJSON(to: &bytes) }
        PlainResult(alone: self).json.object?.first?.value.write(to: &bytes)
    }
}
