// The names of a query in a program: the keys to compare elements with, and the source of an attribute's value (1.3,
// 4.3). Only this file interprets `xmlns` and `:` in an attribute's name.

import QuerySyntax
import XMLTree

/// The source of an attribute's value (1.3, 4.3).
enum AttributeSource {
    /// The pseudo-attribute `xmlns`.
    case namespace
    /// An attribute without a prefix.
    case plain(NameKey)
    case resolved(ResolvedAttribute)

    /// `nil` for a name with slots.
    init?(_ name: AttributeName) {
        switch name {
        case .qualified("xmlns"): self = .namespace
        case .expanded(let namespace, let name):
            self = .resolved(.expanded(NameKey(.namespace, namespace) + NameKey(.local, name)))
        case .qualified(let name):
            let key = NameKey(.qualified, name)
            guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                self = .plain(key)
                return
            }
            let prefix = NameKey(.declaration, String(name[..<colon]))
            let local = NameKey(.local, String(name[name.utf8.index(after: colon)...]))
            self = .resolved(.prefixed(qualified: key, prefix: prefix, local: local))
        case .slotted: return nil
        }
    }
}

extension ElementTest {
    /// The key of the known part of the name that an element must have, and of its namespace.
    var key: NameKey {
        let local: NameKey? = if case .named(let name) = name { NameKey(.local, name) } else { nil }
        let uri: NameKey? = if case .named(let uri) = namespace { NameKey(.namespace, uri) } else { nil }
        return switch (uri, local) {
        case (let uri?, let local?): uri + local
        default: uri ?? local ?? .unbound
        }
    }
}

extension NameKey {
    /// The placeholder key of a name that is not bound yet.
    static var unbound: NameKey { NameKey(rawValue: 0) }
}
