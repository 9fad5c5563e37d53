// The errors of promises. A PromiseRejection is the error of a request; a database throws its own errors.

import Foundation

/// A mistake in the use of promises, or a promise without a value.
public enum PromiseError: Error, Sendable, Equatable {
    /// The promise was not resolved before its deadline.
    case timedOut(UUID)
    /// The promise was canceled.
    case canceled(UUID)
    /// The promise does not exist: it was never stored, or it was removed after its outcome was taken or its retention
    /// time was over.
    case unknownPromise(UUID)
    /// Another promise has this key. Find it with `PromiseCenter.reattach(key:as:)`.
    case keyTaken(String)
    /// This process may only resolve promises: the outcome is for the process with the role `.consumer`.
    case mayNotConsume
    /// The store was closed while a task waited.
    case closed
    /// The promise has values of another type than the requested one.
    case wrongType(expected: String, actual: String)
    /// The stored value cannot be read as its type. A newer version of the program may have stored it.
    case undecodable(type: String, reason: String)
    /// The value cannot be stored.
    case unencodable(type: String, reason: String)
    /// Something is longer than its limit, in bytes.
    case tooLong(what: String, length: Int, limit: Int)
}

extension PromiseError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .timedOut(let id): "promise \(id) was not resolved before its deadline"
        case .canceled(let id): "promise \(id) was canceled"
        case .unknownPromise(let id): "promise \(id) does not exist; it may have been removed after its retention time"
        case .keyTaken(let key): "the key '\(key)' belongs to another promise; reattach to it, or choose another key"
        case .mayNotConsume: "this process may only resolve promises; wait in the process with the role .consumer"
        case .closed: "the store of promises was closed; open it again, and reattach"
        case .wrongType(let expected, let actual): "the promise has values of type \(actual), not \(expected)"
        case .undecodable(let type, let reason): "the stored value cannot be read as \(type): \(reason)"
        case .unencodable(let type, let reason): "the value of type \(type) cannot be stored: \(reason)"
        case .tooLong(let what, let length, let limit): "\(what) has \(length) bytes; at most \(limit) are allowed"
        }
    }

    public var errorDescription: String? { description }
}
