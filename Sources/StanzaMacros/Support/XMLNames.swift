// The names of elements and attributes in the arguments of macros (XML 1.0 §2.3, Namespaces in XML 1.0 §4).
//
// The plugin does not import XMLTree: the compiler would build it a second time, for the plugin.

/// A name as a macro's argument: `name`, `{namespace}name`, or `xml:name`.
struct WrittenName {
    /// The namespace between the braces; `nil` without braces.
    let namespace: String?
    let local: String

    /// Splits a name, and checks none of its parts.
    init(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "{"), let close = text.utf8.firstIndex(of: UInt8(ascii: "}")) else {
            (namespace, local) = (nil, text)
            return
        }
        namespace = String(text[text.utf8.index(after: text.startIndex)..<close])
        local = String(text[text.utf8.index(after: close)...])
    }

    /// The mistake in the name of an element or an attribute; `nil` for a right one.
    var problem: String? { namespaceProblem ?? localProblem }

    /// Whether the local part is a name without a colon.
    var localProblem: String? {
        if namespace == nil, local == "xmlns" { return "'xmlns' declares a namespace" }
        let name = namespace == nil && local.hasPrefix("xml:") ? Substring(local.dropFirst(4)) : local[...]
        let scalars = name.unicodeScalars
        if let first = scalars.first, first.startsName, scalars.dropFirst().allSatisfy(\.continuesName) { return nil }
        let hint = local.contains(":") ? "; write '{namespace}name' instead of a prefix" : ""
        return "'\(local)' is not a name: expected a letter or '_', then letters, digits, '-', '_' or '.'\(hint)"
    }

    var namespaceProblem: String? {
        guard let namespace else { return nil }
        if namespace == "http://www.w3.org/2000/xmlns/" {
            return "no element or attribute has the namespace of 'xmlns'"
        }
        let isAllowed = namespace.unicodeScalars.allSatisfy { $0.value > 0x20 && !["<", ">", "\"", "{"].contains($0) }
        return isAllowed ? nil : "'\(namespace)' is not a namespace: it has a character that no URI has"
    }
}

extension Unicode.Scalar {
    fileprivate var startsName: Bool {
        switch value {
        case 0x41...0x5A, 0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF,
            0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
            0x10000...0xEFFFF:
            true
        default: false
        }
    }

    fileprivate var continuesName: Bool {
        switch value {
        case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: startsName
        }
    }
}
