// What the application does wrong. What the other side does wrong is StreamError.swift.

/// An event that means nothing in the state the core is in. Nothing has changed.
public enum StreamManagementError: Error, Hashable, Sendable {
    /// Stream management is enabled already (rule R9).
    case alreadyEnabled
    /// `<enable/>` has been sent, and its answer is yet to come (rule R9).
    case enablingUnderWay
    /// The server has refused stream management on this stream (rule R9).
    case refused
    /// `<resume/>` has been sent, and its answer is yet to come.
    case resumptionUnderWay
    /// There is no stream management on this stream.
    case notEnabled
    /// There is no stream with a resource: enabling comes after binding (rule R9).
    case notBound
    /// A resource is bound already: resumption comes instead of binding (rule R24).
    case alreadyBound
    /// There is no session to resume, or the server gave no right to resume it.
    case noSession
    /// The stream is being closed.
    case ended
    /// The element to send is no stanza: nothing else is counted or sent by the core.
    case notAStanza(String)
    /// So many stanzas wait for their acknowledgement already: wait until there is room (D23).
    case queueFull(limit: Int)
    /// The server accepts no stanza of more bytes (XEP-0478).
    case tooLarge(limit: Int)
    /// The session was laid aside before the stanza was handled: the stanza comes again, here or elsewhere.
    case comesAgain
    /// No stanza was given that number.
    case unknownStanza
    /// The application was not asked anything, or not about that stanza.
    case nothingToDecide
    /// A session can be restored only before anything else has happened.
    case alreadyStarted
}

extension StreamManagementError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .alreadyEnabled: "stream management is enabled already: enable it once for each stream"
        case .enablingUnderWay: "stream management is being enabled: wait for the server's answer"
        case .refused: "the server has refused stream management: ask again on the next stream"
        case .resumptionUnderWay: "the session is being resumed: wait for the server's answer"
        case .notEnabled: "stream management is not enabled on this stream: enable it, or resume a session, first"
        case .notBound: "no resource is bound: enable stream management when a stream runs and has one"
        case .alreadyBound: "a resource is bound already: resume after authentication, instead of binding"
        case .noSession: "there is no session to resume: bind a resource"
        case .ended: "the stream is being closed: open another one"
        case .notAStanza(let name): "expected an iq, message or presence of jabber:client, found \(name)"
        case .queueFull(let limit): "\(limit) stanzas are not acknowledged yet: wait for room before sending more"
        case .tooLarge(let limit): "the server accepts \(limit) bytes at most: send less, or send a link"
        case .comesAgain: "the session was laid aside, and the stanza will come again: undo what was done because of it"
        case .unknownStanza: "no stanza has that number: pass on the one that came with the stanza"
        case .nothingToDecide: "nothing was asked about these stanzas: answer each question once"
        case .alreadyStarted: "a session is restored before anything else happens: make another core for it"
        }
    }
}
