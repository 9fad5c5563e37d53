// The types that fields can have (XEP-0004 §3.3).

/// The type of a field.
public enum FieldType: String, Sendable, Hashable, CaseIterable {
    /// Yes or no: `true`, `1`, `false` or `0`.
    case boolean
    /// Text to read, such as a heading of the next fields. It is never submitted.
    case fixed
    /// Not shown, but sent back.
    case hidden
    /// Several addresses, each once.
    case jidMulti = "jid-multi"
    /// One address.
    case jidSingle = "jid-single"
    /// Any number of the options.
    case listMulti = "list-multi"
    /// One of the options.
    case listSingle = "list-single"
    /// Lines of text, each a value.
    case textMulti = "text-multi"
    /// A line of secret text, such as a password.
    case textPrivate = "text-private"
    /// A line of text. A missing or unknown type counts as this one.
    case textSingle = "text-single"

    /// Whether a field of this type may have more than one value (XEP-0004 §3.2).
    public var allowsSeveralValues: Bool {
        switch self {
        case .hidden, .jidMulti, .listMulti, .textMulti: true
        case .boolean, .fixed, .jidSingle, .listSingle, .textPrivate, .textSingle: false
        }
    }

    /// Whether values are chosen from options.
    public var isList: Bool { self == .listSingle || self == .listMulti }

    /// Whether values are addresses.
    public var isJID: Bool { self == .jidSingle || self == .jidMulti }
}
