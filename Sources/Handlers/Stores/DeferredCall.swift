// A call of a handler that this program cannot load. It waits for a program that can.

public import Foundation

/// A call or an invalidation that waits for a deferred handler.
public struct DeferredCall: Sendable, Hashable {
    /// Whether to call or invalidate the handler.
    public enum Purpose: Sendable, Hashable {
        case call
        case invalidation(InvalidationReason)
    }

    public let purpose: Purpose
    /// The version of the parameter list that the arguments fit. `nil` for a call in the old format, which did not
    /// store the version: replay migrates such a call from version 1. If that fails, replay treats it as a call of the
    /// current version.
    public let version: Int?
    /// The storable arguments of the call. The caller of `HandlerDispatcher.replay(_:)` passes the others again.
    public let arguments: [String: StoredValue]
    /// The names of the arguments that the call sets to `nil`. They hide the bound values.
    public let withheld: Set<String>
}

/// A stored handler that this program cannot load.
public struct DeferredHandler: Sendable, Hashable, Identifiable {
    public let id: UUID
    /// `Type|handler<invalidation>`.
    public let description: String
    /// The text of the error that kept the handler from loading.
    public let reason: String
    /// When the handler was first deferred.
    public let since: Date
    /// The number of deferred calls.
    public let waitingCalls: Int
}
