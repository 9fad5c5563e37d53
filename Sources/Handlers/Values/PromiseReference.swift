// A promise inside a handler: its identity. This module does not depend on the module Promises.

public import Foundation

/// A reference to a promise. A stored handler keeps nothing else of the promise.
public struct PromiseReference: Sendable, Hashable, Identifiable {
    public let id: UUID

    public init(id: UUID) {
        self.id = id
    }
}
