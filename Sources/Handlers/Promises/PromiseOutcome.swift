// The outcomes of a promise. Plain values: nothing here depends on stores, processes or waiting.
//
// PromiseRecord.swift gives a promise its outcome.

public import Foundation

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

/// The value of a fulfilled promise as it is stored.
public struct PromisePayload: Sendable, Hashable {
    /// The type of the value (`Storable.storableType`).
    public let type: String
    /// The encoded value.
    public let bytes: Data

    package init(type: String, bytes: Data) {
        self.type = type
        self.bytes = bytes
    }

    /// Encodes a value.
    package init<Value: Storable>(_ value: Value) throws(PromiseError) {
        type = Value.typeName
        do {
            bytes = try value.storedValue().data()
        } catch {
            throw .unencodable(type: type, reason: PromiseRejection(bridging: error).code)
        }
        if bytes.count > PromiseLimits.payloadLength {
            throw .tooLong(what: "the promised value", length: bytes.count, limit: PromiseLimits.payloadLength)
        }
    }

    /// Decodes the value, and migrates it to the current version of its type.
    package func value<Value: Storable>() throws(PromiseError) -> Value {
        if type != Value.typeName { throw .wrongType(expected: Value.typeName, actual: type) }
        do {
            return try Value(storedValue: StoredValue(data: bytes))
        } catch let mismatch as StorableMismatch {
            throw .undecodable(type: type, reason: mismatch.description)
        } catch {
            // A decoder's message may quote the value.
            throw .undecodable(type: type, reason: PromiseRejection(bridging: error).code)
        }
    }
}

extension Storable {
    /// The name of the type in the records of promises.
    static var typeName: String { storableType.description }
}

/// The value of promises that only report that an event has happened.
public struct NoValue: StorableObject, Hashable {
    public static let storedName = "Nothing"

    public init() {}
}
