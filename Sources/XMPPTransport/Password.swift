// A password that no log, message or debugger's list shows.

/// A secret. Nothing that prints values shows it.
public struct Password: Sendable, Equatable {
    let secret: String

    public init(_ secret: String) {
        self.secret = secret
    }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(password)" }
    public var debugDescription: String { description }
    /// Without children, so that `dump` finds nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
