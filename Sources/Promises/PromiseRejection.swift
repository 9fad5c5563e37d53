// The error of a rejected promise, in a form that another process or a later version can read.

import Foundation
import XMLTree

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
