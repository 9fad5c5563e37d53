// Why a promise was rejected, in a form that can be stored and read by another process or a later version.

import Foundation
import XMLTree

/// The error of a rejected promise.
///
/// The code is what programs compare: keep it stable between versions. The message is for people.
///
/// ```swift
/// try await promise.reject(PromiseRejection(code: "forbidden", message: "Only owners may change the avatar."))
/// ```
public struct PromiseRejection: Error, Sendable, Hashable {
    /// Says which error it is, such as a stanza error's condition. At most `PromiseLimits.codeLength` bytes.
    public let code: String
    /// The message for people. At most `PromiseLimits.messageLength` bytes.
    public let message: String
    /// The stanza with the error, if there is one, as XML of at most `PromiseLimits.stanzaLength` bytes.
    public let stanza: String?
    /// The account that the request belonged to, usually a bare JID.
    public let account: String?

    /// A rejection. Longer texts are cut to their limit at a character's end; a longer stanza is left out.
    public init(code: String, message: String = "", stanza: Element? = nil, account: String? = nil) {
        self.init(code: code, message: message, stanzaXML: stanza.map(\.description), account: account)
    }

    /// A rejection whose stanza is XML already.
    public init(code: String, message: String, stanzaXML: String?, account: String?) {
        self.code = code.prefix(utf8Count: PromiseLimits.codeLength)
        self.message = message.prefix(utf8Count: PromiseLimits.messageLength)
        self.stanza = stanzaXML.flatMap { $0.utf8.count <= PromiseLimits.stanzaLength ? $0 : nil }
        self.account = account?.prefix(utf8Count: PromiseLimits.codeLength)
    }

    /// The rejection for any error.
    ///
    /// A `PromiseRejection` is unchanged. Of any other error, it keeps only two things. The name of its type with the
    /// name of its case becomes the code `error:Type.case`. The `LocalizedError` description becomes the message.
    /// Payloads are not kept, because they may hold secrets or values that cannot be stored. The error cannot be cast
    /// back to its type.
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

    /// The name of an enumeration's case, or its raw value; never words, which may change or be translated.
    private static func caseName(of error: any Error) -> String? {
        if let error = error as? any RawRepresentable { return "\(error.rawValue)" }
        // The type is asked: a value can be bridged to one that describes itself.
        let type: Any.Type = Swift.type(of: error)
        if type is any CustomReflectable.Type { return nil }
        let mirror = Mirror(reflecting: error)
        if mirror.displayStyle != .enum { return nil }
        if let name = mirror.children.first?.label { return name }
        // A case without payload is printed as its name, unless the type prints something else.
        if type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type { return nil }
        return "\(error)"
    }
}

extension PromiseRejection: CustomStringConvertible {
    public var description: String { message.isEmpty ? code : "\(code): \(message)" }
}

extension String {
    /// The beginning that fits into so many bytes of UTF-8, in whole characters.
    fileprivate func prefix(utf8Count limit: Int) -> String {
        if utf8.count <= limit { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: self) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
