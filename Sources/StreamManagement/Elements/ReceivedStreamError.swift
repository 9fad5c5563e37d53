// The stream errors that a server sends. StreamError.swift has those that the session sends.

public import Foundation
import SafeText
public import XMLTree
import XMPPCore

/// A stream error that was received (RFC 6120 §4.9): it ends the stream.
public struct ReceivedStreamError: Error, Hashable, Sendable {
    /// The name of the defined condition, such as `conflict`; `undefined-condition` if the error has none.
    public let condition: String
    /// The server's text for people, at most 1,000 characters of it.
    public let text: String?
    /// The application-specific condition: the first element of another namespace.
    public let application: Element?
    /// The place that a `see-other-host` names.
    public let otherHost: ServerLocation?
    /// The error came before the expected encryption, so that an attacker on the path may have sent it. Or it came from
    /// a place to which another server redirected the session: the next redirection may name another place.
    package var mayNotComeAgain = false

    /// Reads a `<stream:error/>`; `nil` for any other element.
    public init?(_ element: Element) {
        guard ElementKind(element) == .streamError else { return nil }
        var condition: Element?
        var text: String?
        var application: Element?
        for child in element.children {
            if child.namespace != Namespaces.streamErrors {
                if application == nil { application = child }
            } else if child.name == "text" {
                if text == nil { text = child.text?.shortened }
            } else if condition == nil {
                condition = child
            }
        }
        self.condition = condition?.name ?? "undefined-condition"
        self.text = text
        self.application = application
        otherHost =
            condition?.name == "see-other-host" ? condition?.text.flatMap { ServerLocation($0.trimmed) } : nil
    }
}

extension ReceivedStreamError: StreamConnectionError {
    /// Whether the server will answer every attempt with this error: it does not serve the account, the account is not
    /// authorized, or the two sides speak different protocols.
    ///
    /// On an authenticated stream, `invalid-from` and `improper-addressing` may answer a stanza of the app: a session
    /// connects again after these. Other errors concern this stream or this moment. An error before the expected
    /// encryption, or from a place that a server has redirected to, is never final.
    public var isFinal: Bool { !mayNotComeAgain && Self.finalConditions.contains(condition) }

    /// Whether the error may answer a stanza with a wrong address. The app chose that address, so only the stanza is at
    /// fault (RFC 6120 §4.9.3.7, §4.9.3.9): ejabberd answers a foreign `from` with `invalid-from`.
    ///
    /// On an authenticated stream, the server has accepted every other address before.
    var isOfAddress: Bool { condition == "invalid-from" || condition == "improper-addressing" }

    private static let finalConditions: Set = [
        "host-unknown", "improper-addressing", "invalid-from", "not-authorized", "unsupported-encoding",
        "unsupported-version",
    ]
}

extension ReceivedStreamError: CustomStringConvertible, LocalizedError {
    public var description: String {
        "the server has ended the stream: \(condition.excerpt())" + (text.map { " (\($0.excerpt()))" } ?? "")
    }

    public var errorDescription: String? { description }
}

extension String {
    /// The string without surrounding white space.
    fileprivate var trimmed: String {
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex
        return String(prefix(upTo: end).drop { $0.isWhitespace })
    }
}

extension StreamEnd {
    /// The server's stream error, if it ended the stream; `nil` otherwise.
    public var streamError: ReceivedStreamError? {
        guard case .abandoned(.streamError(let element)) = self else { return nil }
        return ReceivedStreamError(element)
    }
}
