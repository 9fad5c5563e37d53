// Why a promise was rejected, in a form that can be stored and read by another process or a later version.

import Foundation
import XMLTree

/// The error of a rejected promise.
///
/// The code is what programs compare: keep it stable between versions. The message is for people.
///
///     try await promise.reject(PromiseRejection(code: "forbidden", message: "Only owners may change the avatar."))
public struct PromiseRejection: Error, Sendable, Hashable {
    /// Says which error it is, such as a stanza error's condition. At most `PromiseLimits.codeLength` bytes.
    public let code: String
    /// What to tell people. At most `PromiseLimits.messageLength` bytes.
    public let message: String
    /// The stanza that told the error, if there is one, as XML of at most `PromiseLimits.stanzaLength` bytes.
    public let stanza: String?
    /// The account that the request belonged to, usually a bare JID.
    public let account: String?

    /// A rejection. What is longer than its limit is cut at a character's end; a stanza that is longer is left out.
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
    /// A `PromiseRejection` stays what it is. Of another error only two things are kept: the name of its type with the
    /// name of its case, which becomes the code `error:Type.case`, and its description. Payloads are not kept, because
    /// they may hold secrets or what cannot be stored, and the error cannot be cast back to its type.
    public init(bridging error: any Error) {
        if let rejection = error as? PromiseRejection {
            self = rejection
            return
        }
        let type = String(describing: Swift.type(of: error))
        let mirror = Mirror(reflecting: error)
        // Of a case without payload the description is the name; of one with payload, the mirror knows it.
        let name = mirror.displayStyle == .enum ? mirror.children.first?.label ?? "\(error)" : ""
        let message = (error as? any LocalizedError)?.errorDescription ?? ""
        self.init(
            code: name.isEmpty ? "error:\(type)" : "error:\(type).\(name)", message: message, stanzaXML: nil,
            account: nil)
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
