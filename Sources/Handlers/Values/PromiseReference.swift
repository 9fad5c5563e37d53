// A promise inside a handler: its identity. What a promise is, this module does not know.

public import Foundation

/// A reference to a promise: all that a stored handler keeps of it.
public struct PromiseReference: Sendable, Hashable, Identifiable {
    public let id: UUID

    public init(id: UUID) {
        self.id = id
    }
}
