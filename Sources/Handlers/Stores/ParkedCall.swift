// A call of a handler that this program cannot make: it waits until a program can.

public import Foundation

/// A call, or an invalidation, that waits for a parked handler.
public struct ParkedCall: Sendable, Hashable {
    /// What was wanted of the handler.
    public enum Purpose: Sendable, Hashable {
        case call
        case invalidation(InvalidationReason)
    }

    public let purpose: Purpose
    /// The version of the parameter list that the arguments were given for. `nil` for calls from before it was noted:
    /// they are taken for version 1 and, if they do not go through its migrations, for the present one.
    public let version: Int?
    /// The arguments that could be stored; the others have to be given again when the call is replayed.
    public let arguments: [String: StoredValue]
    /// The names of the arguments that the call gives as `nil`. They hide the bound values.
    public let withheld: Set<String>
}

/// A stored handler that this program cannot load.
public struct ParkedHandler: Sendable, Hashable, Identifiable {
    public let id: UUID
    /// `Type|handler<invalidation>`.
    public let description: String
    /// Why, in words.
    public let reason: String
    /// When it was parked first.
    public let since: Date
    /// How many calls wait.
    public let waitingCalls: Int
}
