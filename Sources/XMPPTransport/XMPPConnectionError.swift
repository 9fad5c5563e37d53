// Everything that can keep a connection from being made, or ends it, as a type.

import SafeText
public import StreamManagement
public import XMLTree

/// Why there is no connection, or no longer one.
public enum XMPPConnectionError: StreamConnectionError, Equatable {
    /// The address is no `user@domain`, or the domain cannot stand in a certificate.
    case invalidAddress(String)
    /// The password is empty, or has characters that no password may have (RFC 4013).
    case invalidPassword
    /// The certificates to be trusted cannot be read.
    case invalidTrustRoots(String)
    /// No address of that host took a connection.
    case notConnected(host: String, port: UInt16, reason: String)
    /// Something took too long.
    case timedOut(ConnectionStage)
    /// The connection broke.
    case connectionLost
    /// The server offers no STARTTLS, or somebody on the way wants us to believe so.
    case encryptionNotOffered
    /// The server has refused STARTTLS.
    case encryptionRefused
    /// There came more than the answer to STARTTLS before encryption: somebody on the way may have put it in.
    case dataBeforeTLS
    /// TLS could not be set up.
    case tlsFailed(String)
    /// The server's certificate is not trusted, or is not for the account's domain.
    case certificateRejected(String)
    /// What the server sends is no XML, or more than the limits allow. It was told so.
    case invalidXML(XMLParseError)
    /// What came first is no stream of RFC 6120.
    case invalidStream(String)
    /// An element came that means nothing there.
    case unexpectedElement(String, ConnectionStage)
    /// The server has ended the stream.
    case streamError(ReceivedStreamError)
    /// The server has closed the stream before it was of use.
    case closedByServer(ConnectionStage)
    /// The server has sent us on too often.
    case tooManyRedirections
    /// None of the mechanisms that the server offers may be used (``XMPPConnectorConfiguration/mechanisms``).
    case noMechanism(offered: [String])
    /// The strongest mechanism that the server offers is weaker than the one that the account was authenticated with
    /// before (``XMPPConnectorConfiguration/mechanismStore``): somebody on the way may have removed the stronger ones.
    case weakerMechanism(String, remembered: String)
    /// A ``SaltedPassword`` is not enough: the server uses another salt, hash or mechanism by now.
    case passwordNeeded
    /// The server asks for more than a password, such as a second factor (XEP-0388 §2.6.3): its names for that.
    case tasksNeeded([String])
    /// A session, or the server, has another account than the connector.
    case wrongAccount(String, expected: String)
    /// The server did not let us in.
    case authenticationFailed(condition: String, text: String?)
    /// The server broke the rules of SCRAM, or does not know the password itself.
    case serverNotAuthentic(SCRAMError)
    /// The server has refused a resource, with that condition of a stanza error.
    case bindingFailed(condition: String)
}

/// A part of making or using a connection that has a time limit.
public enum ConnectionStage: String, Hashable, Sendable {
    case connecting, securing, opening, authenticating, binding, pinging
}

extension XMPPConnectionError {
    /// Whether somebody has to do something about it first. What whoever is on the way can bring about is not: a
    /// network with a page to log in at shows its own certificates until somebody has.
    public var isFinal: Bool {
        switch self {
        case .invalidAddress, .invalidPassword, .invalidTrustRoots, .noMechanism, .weakerMechanism, .passwordNeeded,
            .tasksNeeded, .wrongAccount, .serverNotAuthentic:
            true
        case .authenticationFailed(let condition, _): condition != "temporary-auth-failure"
        case .streamError(let error): error.isFinal
        default: false
        }
    }
}

extension XMPPConnectionError {
    /// Whether another of the domain's servers would say the same: it is about the account, not about the server.
    var isOfAccount: Bool {
        switch self {
        case .streamError: false
        default: isFinal
        }
    }

    /// Whether somebody on the way, or the server, keeps us from being sure that nobody listens.
    var isOfEncryption: Bool {
        switch self {
        case .encryptionNotOffered, .encryptionRefused, .dataBeforeTLS, .certificateRejected: true
        default: false
        }
    }

    /// Which of two servers' errors tells more. If one of the servers may be back, trying again makes sense; and behind
    /// a server that is only away, nobody would see that somebody on the way stands before another.
    func orRather(_ other: XMPPConnectionError) -> XMPPConnectionError {
        if isOfEncryption != other.isOfEncryption { return isOfEncryption ? self : other }
        return other.isFinal && !isFinal ? self : other
    }
}

extension XMPPConnectionError: CustomStringConvertible {
    /// In one line, whatever the server says.
    public var description: String { sentence.spelled(.replacements) }

    private var sentence: String {
        switch self {
        case .invalidAddress(let address): "expected an address like juliet@example.org, found \(address)"
        case .invalidPassword: "the password is empty, or has control characters or others that no password may have"
        case .invalidTrustRoots(let reason): "the trusted certificates cannot be read; give them as PEM: \(reason)"
        case .notConnected(let host, let port, let reason): "no connection to \(host), port \(port): \(reason)"
        case .timedOut(let stage): "\(stage.rawValue) took too long"
        case .connectionLost: "the connection was lost"
        case .encryptionNotOffered: "the server offers no STARTTLS; without encryption nothing is said to it"
        case .encryptionRefused: "the server has refused STARTTLS"
        case .dataBeforeTLS: "more than the answer to STARTTLS came unencrypted; somebody may have put it in"
        case .tlsFailed(let reason): "TLS could not be set up: \(reason)"
        case .certificateRejected(let reason): "the server's certificate is not accepted: \(reason)"
        case .invalidXML(let error): "the server's stream cannot be read: \(error)"
        case .invalidStream(let reason): "the server does not speak XMPP as a client needs it: \(reason)"
        case .unexpectedElement(let name, let stage): "<\(name)/> was not to be expected while \(stage.rawValue)"
        case .streamError(let error): "\(error)"
        case .closedByServer(let stage): "the server has closed the stream while \(stage.rawValue)"
        case .tooManyRedirections: "the servers have sent us from one to the other too often"
        case .noMechanism(let offered):
            "the server offers \(offered.isEmpty ? "no mechanism" : offered.joined(separator: ", ")), of which none may "
                + "be used here; the configuration's `mechanisms` decides"
        case .weakerMechanism(let mechanism, let remembered):
            "the strongest mechanism that the server offers and the configuration accepts is \(mechanism), but the "
                + "account was authenticated with \(remembered) before: somebody on the way may have removed the stronger mechanisms. If the server itself has "
                + "changed, accept that once: `setStrongestMechanism(nil, of: account)` of the configuration's "
                + "`mechanismStore`"
        case .passwordNeeded:
            "the salted password does not fit what the server asks for: connect with the password itself, and store the "
                + "new salted password"
        case .tasksNeeded(let tasks):
            "the server asks for more than a password: \(tasks.isEmpty ? "nothing named" : tasks.joined(separator: ", "));"
                + " no such task can be done here"
        case .wrongAccount(let account, let expected): "expected the account \(expected), found \(account)"
        case .authenticationFailed(let condition, let text):
            "the server did not let us in: \(condition)" + (text.map { " (\($0))" } ?? "")
        case .serverNotAuthentic(let error): "\(error)"
        case .bindingFailed(let condition): "the server has refused a resource: \(condition)"
        }
    }
}
