// The names of a query in a program: the keys to compare elements with, and the source of an attribute's value (1.3,
// 4.3). Only this file interprets `xmlns` and `:` in an attribute's name.

import QuerySyntax
import XMLTree

/// The source of an attribute's value (1.3, 4.3).
enum AttributeSource: Equatable, Sendable {
    /// The pseudo-attribute `xmlns`.
    case namespace
    /// An attribute without a prefix.
    case plain(NameKey)
    /// An attribute among the program's constants.
    case resolved(AttributeIndex)

    /// A name with slots has no key yet.
    ///
    /// - Parameter attributes: The program's constants.
    init(_ name: AttributeName, _ attributes: inout [ResolvedAttribute]) {
        switch name {
        case _ where name.isNamespace: self = .namespace
        case .expanded(let namespace, let name):
            self.init(.expanded(NameKey(.namespace, namespace) + NameKey(.local, name)), &attributes)
        case .qualified(let name):
            let key = NameKey(.qualified, name)
            if let (prefix, local) = name.splitAtColon {
                let prefix = NameKey(.declaration, String(prefix.unicodeScalars.dropLast()))
                let local = NameKey(.local, String(local))
                self.init(.prefixed(qualified: key, prefix: prefix, local: local), &attributes)
            } else {
                self = .plain(key)
            }
        case .slotted: self = .plain(.unbound)
        }
    }

    private init(_ attribute: ResolvedAttribute, _ attributes: inout [ResolvedAttribute]) {
        self = .resolved(AttributeIndex(rawValue: UInt32(attributes.count)))
        attributes.append(attribute)
    }

    /// The instruction that puts the value on the stack.
    var load: Instruction {
        switch self {
        case .namespace: .loadNamespace
        case .plain(let name): .loadAttribute(name)
        case .resolved(let index): .loadResolvedAttribute(index)
        }
    }
}

extension AttributeName {
    /// Whether it is the pseudo-attribute `xmlns`.
    var isNamespace: Bool { if case .qualified("xmlns") = self { true } else { false } }
}

extension String {
    /// The parts of a name with a prefix: the prefix with its colon, and the local name. They are split between code
    /// points, as a colon can be a part of a longer character.
    var splitAtColon: (prefix: Substring, local: Substring)? {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let start = utf8.index(after: colon)
        return (self[..<start], self[start...])
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
