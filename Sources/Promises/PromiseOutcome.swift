// The outcomes of a promise. Plain values: nothing here depends on stores, processes or waiting.
//
// PromiseRecord.swift gives a promise its outcome.

import Foundation

/// The outcome of a promise. The first one is final.
public enum PromiseOutcome: Sendable, Equatable {
    /// The request succeeded with this value.
    case fulfilled(PromisePayload)
    /// The request failed.
    case rejected(PromiseRejection)
    /// No outcome arrived before the deadline.
    case timedOut
    /// The promise's creator no longer needs the outcome.
    case canceled
}

/// The state of a promise.
public enum PromiseState: Int, Sendable, Hashable, CaseIterable {
    // The numbers are stored: they never change their meaning.
    case pending = 0
    case fulfilled = 1
    case rejected = 2
    case timedOut = 3
    case canceled = 4
}

extension PromiseState: CustomStringConvertible {
    /// The state as one word. `stanza-live` prints it, so it never changes.
    public var description: String {
        switch self {
        case .pending: "pending"
        case .fulfilled: "fulfilled"
        case .rejected: "rejected"
        case .timedOut: "timedOut"
        case .canceled: "cancelled"
        }
    }
}

extension PromiseOutcome {
    /// The state of a promise with this outcome.
    public var state: PromiseState {
        switch self {
        case .fulfilled: .fulfilled
        case .rejected: .rejected
        case .timedOut: .timedOut
        case .canceled: .canceled
        }
    }
}

/// The value of a fulfilled promise as it is stored: bytes, with the name and the version of their type.
public struct PromisePayload: Sendable, Hashable {
    /// The name under which the type is registered (`PromiseTypes`).
    public let type: String
    /// The version of the type that encoded the bytes.
    public let version: Int
    /// The encoded value.
    public let bytes: Data

    public init(type: String, version: Int, bytes: Data) {
        self.type = type
        self.version = version
        self.bytes = bytes
    }
}
