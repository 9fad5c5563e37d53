// The start tag that a new libxml2 context is given in place of a stream's header, or around fragments; and what an
// XML declaration says of the encoding.

enum SyntheticRoot {
    /// Stands for the root of a document in the context that reads what follows it.
    static let beforeEpilog = Array("<r/>".utf8)

    /// A start tag that binds what `context` binds; `nil` when a prefix is no name, or a character is forbidden.
    /// What else is wrong libxml2 says.
    static func bytes(name: String, binding context: NamespaceContext) -> [UInt8]? {
        var tag = "<" + name
        if let namespace = context.defaultNamespace { tag += " xmlns='\(escaped(namespace))'" }
        for (prefix, namespace) in context.prefixes.sorted(by: { $0.key < $1.key }) where prefix != "xml" {
            do throws(XMLTreeError) { try XMLCharacters.check(name: prefix) } catch { return nil }
            tag += " xmlns:\(prefix)='\(escaped(namespace))'"
        }
        let bytes = Array((tag + ">").utf8)
        return bytes.withUnsafeBufferPointer { ByteCheck($0).outcome } == .valid ? bytes : nil
    }

    private static func escaped(_ namespace: String) -> String {
        var text = ""
        for scalar in namespace.unicodeScalars {
            switch scalar {
            case "&", "<", "'", "\t", "\n", "\r": text += "&#\(scalar.value);"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

enum XMLDeclaration {
    /// The encoding that a well-formed XML declaration names, unless it is UTF-8, and where its name begins.
    static func foreignEncoding(in declaration: UnsafeBufferPointer<UInt8>) -> (name: String, offset: Int)? {
        let keyword = Array("encoding".utf8)
        var index = 0
        while index < declaration.count, !declaration[index...].starts(with: keyword) { index += 1 }
        guard index < declaration.count else { return nil }
        guard let opening = declaration[index...].firstIndex(where: \.isQuote),
            let closing = declaration[(opening + 1)...].firstIndex(of: declaration[opening])
        else { return nil }
        let name = String(decoding: UnsafeBufferPointer(rebasing: declaration[(opening + 1)..<closing]), as: UTF8.self)
        return name.uppercased() == "UTF-8" ? nil : (name, opening + 1)
    }
}
