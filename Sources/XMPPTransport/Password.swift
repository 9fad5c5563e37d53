// A password that does not appear in logs, messages or dumps.

/// A password. Its descriptions and mirror do not show it.
public struct Password: Sendable, Equatable {
    let secret: String

    public init(_ secret: String) {
        self.secret = secret
    }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(password)" }
    public var debugDescription: String { description }
    /// Has no children, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
