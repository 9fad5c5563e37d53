// Errors of the application. StreamError.swift has those of the server.

public import Foundation
import SafeText

/// An event that is illegal in the core's state. It has changed nothing.
public enum StreamManagementError: Error, Hashable, Sendable {
    /// Stream management is enabled already (rule R9).
    case alreadyEnabled
    /// `<enable/>` is sent and not answered yet (rule R9).
    case enablingUnderWay
    /// The server refused stream management on this stream (rule R9).
    case refused
    /// `<resume/>` is sent and not answered yet.
    case resumptionUnderWay
    /// Stream management is not enabled on this stream.
    case notEnabled
    /// No stream has a resource: enable after binding (rule R9).
    case notBound
    /// A resource is bound already: resume instead of binding (rule R24).
    case alreadyBound
    /// The core has no session to resume, or the server did not allow resuming it.
    case noSession
    /// The stream is being closed.
    case ended
    /// The element to send is not a stanza: the core counts and sends only stanzas.
    case notAStanza(String)
    /// This many stanzas already wait for acknowledgement: wait for room (D23).
    case queueFull(limit: Int)
    /// The stanza has more bytes than the server accepts (XEP-0478).
    case tooLarge(limit: Int)
    /// The session was suspended before the stanza was handled: the server delivers the stanza again, here or
    /// elsewhere.
    case comesAgain
    /// No stanza has this number.
    case unknownStanza
    /// The application was not asked, or not about this stanza.
    case nothingToDecide
    /// The core restores a session only as its first event.
    case alreadyStarted
}

extension StreamManagementError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .alreadyEnabled: "stream management is enabled already: enable it once for each stream"
        case .enablingUnderWay: "stream management is being enabled: wait for the server's answer"
        case .refused: "the server has refused stream management: ask again on the next stream"
        case .resumptionUnderWay: "the session is being resumed: wait for the server's answer"
        case .notEnabled: "stream management is not enabled on this stream: enable it, or resume a session, first"
        case .notBound: "no resource is bound: enable stream management when a stream runs and has one"
        case .alreadyBound: "a resource is bound already: resume after authentication, instead of binding"
        case .noSession: "no session to resume: bind a resource"
        case .ended: "the stream is being closed: open another one"
        case .notAStanza(let name): "expected an iq, message or presence of jabber:client, found \(name.excerpt())"
        case .queueFull(let limit): "\(limit) stanzas are not acknowledged yet: wait for room before sending more"
        case .tooLarge(let limit): "the server accepts \(limit) bytes at most: send less, or send a link"
        case .comesAgain: "the session was suspended, and the server sends the stanza again: undo the changes for it"
        case .unknownStanza: "no stanza has that number: pass on the one that came with the stanza"
        case .nothingToDecide: "nothing was asked about these stanzas: answer each question once"
        case .alreadyStarted: "a session is restored before anything else happens: make another core for it"
        }
    }
}
