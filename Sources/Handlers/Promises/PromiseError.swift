// The errors of promises. A PromiseRejection is the error of a request, in a form that another process or a later
// version can read; a database throws its own errors.

import Foundation
import XMLTree

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

/// The error of a rejected promise.
///
/// Programs compare the code, so keep it stable between versions. The message is for the user.
///
/// ```swift
/// try await promise.reject(PromiseRejection(code: "forbidden", message: "Only owners may change the avatar."))
/// ```
public struct PromiseRejection: Error, Sendable, Hashable {
    /// Identifies the error, such as a stanza error's condition. At most `PromiseLimits.codeLength` bytes.
    public let code: String
    /// The message for the user. At most `PromiseLimits.messageLength` bytes.
    public let message: String
    /// The stanza with the error, if there is one, as XML of at most `PromiseLimits.stanzaLength` bytes.
    public let stanza: String?
    /// The account that the request belonged to, usually a bare JID.
    public let account: String?

    /// Creates a rejection. It cuts longer texts to their limit at a character's end, and leaves a longer stanza out.
    public init(code: String, message: String = "", stanza: Element? = nil, account: String? = nil) {
        self.init(code: code, message: message, stanzaXML: stanza.map(\.description), account: account)
    }

    /// Creates a rejection whose stanza is XML already.
    public init(code: String, message: String, stanzaXML: String?, account: String?) {
        self.code = code.prefix(utf8Count: PromiseLimits.codeLength)
        self.message = message.prefix(utf8Count: PromiseLimits.messageLength)
        self.stanza = stanzaXML.flatMap { $0.utf8.count <= PromiseLimits.stanzaLength ? $0 : nil }
        self.account = account?.prefix(utf8Count: PromiseLimits.codeLength)
    }

    /// Creates the rejection for any error.
    ///
    /// A `PromiseRejection` is unchanged. Of any other error, it keeps only two things. The name of its type with the
    /// name of its case becomes the code `error:Type.case`. The `LocalizedError` description becomes the message. It
    /// drops payloads, because they may hold secrets or values that cannot be stored. The rejection cannot be cast back
    /// to the error's type.
    ///
    /// The name of a case is unknown if a type describes itself (`CustomStringConvertible`) and the case has neither a
    /// payload nor a raw value. It is also unknown if a type has a mirror of its own: the code is `error:Type` then. To
    /// distinguish such errors, throw a `PromiseRejection`.
    public init(bridging error: any Error) {
        if let rejection = error as? PromiseRejection {
            self = rejection
            return
        }
        let type = String(describing: Swift.type(of: error))
        let name = Self.caseName(of: error)
        let message = (error as? any LocalizedError)?.errorDescription ?? ""
        self.init(
            code: name.map { "error:\(type).\($0)" } ?? "error:\(type)", message: message, stanzaXML: nil, account: nil)
    }

    /// The name of an enumeration's case, or its raw value; never a description, which may change or be translated.
    private static func caseName(of error: any Error) -> String? {
        if let error = error as? any RawRepresentable { return "\(error.rawValue)" }
        // Checks the type: a value can be bridged to one that describes itself.
        let type: Any.Type = Swift.type(of: error)
        if type is any CustomReflectable.Type { return nil }
        let mirror = Mirror(reflecting: error)
        if mirror.displayStyle != .enum { return nil }
        if let name = mirror.children.first?.label { return name }
        // A case without payload prints its name, unless the type has its own description.
        if type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type { return nil }
        return "\(error)"
    }
}

extension PromiseRejection: CustomStringConvertible, LocalizedError {
    public var description: String { message.isEmpty ? code : "\(code): \(message)" }

    /// The message for the user; without a message, the code.
    public var errorDescription: String? { message.isEmpty ? code : message }
}

extension String {
    /// The longest beginning in whole characters that fits into `limit` bytes of UTF-8.
    fileprivate func prefix(utf8Count limit: Int) -> String {
        if utf8.count <= limit { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: self) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
