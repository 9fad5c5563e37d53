// The stream errors that a server sends, as a type. Those that we send are StreamError.swift's.

import SafeText
public import XMLTree

/// A stream error that was received (RFC 6120 §4.9): it ends the stream.
public struct ReceivedStreamError: Error, Hashable, Sendable {
    /// The name of the defined condition, as `conflict`; `undefined-condition` if there is none.
    public let condition: String
    /// What the server says to people, at most 1,000 characters of it.
    public let text: String?
    /// The element of another namespace that says more.
    public let application: Element?
    /// Where a `see-other-host` points to.
    public let otherHost: ServerLocation?
    /// It came before the encryption that there was to be: anybody on the way may have said it. Or it came from where
    /// another server had sent us, which may send us elsewhere the next time.
    package var mayNotComeAgain = false

    /// Reads a `<stream:error/>`; `nil` when it is none.
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
    /// Whether the server will say the same whenever it is asked: that it is not the account's, that the account may
    /// not, or that we speak another language. All others have to do with this stream or this moment, or may not be the
    /// server's: what comes on a connection that is still to be encrypted ends nothing for good, nor does what comes
    /// from where a server has sent us.
    public var isFinal: Bool { !mayNotComeAgain && Self.finalConditions.contains(condition) }

    private static let finalConditions: Set = [
        "host-unknown", "improper-addressing", "invalid-from", "not-authorized", "unsupported-encoding",
        "unsupported-version",
    ]
}

extension ReceivedStreamError: CustomStringConvertible {
    public var description: String {
        "the server has ended the stream: \(condition)" + (text.map { " (\($0.spelled(.replacements)))" } ?? "")
    }
}

extension String {
    /// Without white space around it.
    fileprivate var trimmed: String {
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex
        return String(prefix(upTo: end).drop { $0.isWhitespace })
    }
}

extension StreamEnd {
    /// The stream error that the server has ended the stream with; `nil` if the stream has ended otherwise.
    public var streamError: ReceivedStreamError? {
        guard case .abandoned(.streamError(let element)) = self else { return nil }
        return ReceivedStreamError(element)
    }
}
