// The errors that prevent or end a connection.

public import Foundation
import SafeText
public import StreamManagement
public import XMLTree

/// The reason why a connection failed or was lost.
public enum XMPPConnectionError: StreamConnectionError, Equatable {
    /// The address is not `user@domain`, or its domain is an IP address, for which no certificate counts.
    case invalidAddress(String)
    /// The account's domain has an underscore. DNS names in certificates have none (RFC 9525 §6.3, RFC 5890 §2.3.1).
    case unnameableDomain(String)
    /// The password is empty, or has characters that no password may have (RFC 4013).
    case invalidPassword
    /// The trusted certificates cannot be read.
    case invalidTrustRoots(String)
    /// The client's description of itself has a character that XML cannot hold.
    case invalidUserAgent(XMLTreeError)
    /// No address of that host accepted a connection.
    case notConnected(host: String, port: UInt16, reason: String)
    /// This stage took too long.
    case timedOut(ConnectionStage)
    /// The connection broke.
    case connectionLost
    /// The server, or a device on the path, ended the connection without ending the stream.
    case connectionReset
    /// The server offers no STARTTLS, or an attacker on the path removed the offer.
    case encryptionNotOffered
    /// The server has refused STARTTLS.
    case encryptionRefused
    /// More data than the answer to STARTTLS arrived before encryption: an attacker on the path may have injected it.
    case dataBeforeTLS
    /// TLS could not be set up.
    case tlsFailed(String)
    /// The server's certificate is not trusted, or is not for the account's domain.
    case certificateRejected(String)
    /// The server sends malformed XML, or more than the limits allow. The client has sent it a stream error.
    case invalidXML(XMLParseError)
    /// The server's first data is not a stream of RFC 6120.
    case invalidStream(String)
    /// An unexpected element arrived.
    case unexpectedElement(String, ConnectionStage)
    /// The server has ended the stream.
    case streamError(ReceivedStreamError)
    /// The server has closed the stream in this stage.
    case closedByServer(ConnectionStage)
    /// The server has redirected the client too often.
    case tooManyRedirections
    /// None of the mechanisms that the server offers may be used (``XMPPConnectorConfiguration/mechanisms``). That is
    /// final if the connection is encrypted, the server offers any, and the account was not authenticated before.
    case noMechanism(offered: [String], isFinal: Bool = false)
    /// The server offers mechanisms with channel binding that may be used, but not of the kind that the client has. Or
    /// it does, and its certificate has no hash to bind to. `isFinal` is as for ``noMechanism(offered:isFinal:)``.
    case noChannelBinding(kinds: [String], isFinal: Bool = false)
    /// The server offers PLAIN, and only the missing encryption forbids it
    /// (``XMPPConnectorConfiguration/allowsPlainWithoutEncryption``).
    case plainWithoutEncryption(offered: [String])
    /// The strongest mechanism that the server offers is weaker than the one of an earlier authentication of this
    /// account (``XMPPConnectorConfiguration/mechanismStore``): an attacker on the path may have removed the stronger
    /// ones.
    case weakerMechanism(String, remembered: String)
    /// A ``SaltedPassword`` is not enough: the server uses another salt, hash or mechanism by now. Any server with a
    /// trusted certificate can cause this.
    case passwordNeeded
    /// The server requires more than a password, such as a second factor (XEP-0388 §2.6.3). With SCRAM, the server has
    /// proved that it knows the password; without channel binding, a relay may have named the tasks.
    case tasksNeeded([String])
    /// A session, or the server, has another account than the connector.
    case wrongAccount(String, expected: String)
    /// The server rejected the authentication.
    case authenticationFailed(condition: String, text: String?)
    /// The server rejected a login as malformed that states the client's view of channel binding. In this way, Prosody
    /// reports that it has another certificate than the client has seen, or that it offered channel binding.
    case bindingRefused(text: String?)
    /// The server broke the rules of SCRAM, or does not know the password itself.
    case serverNotAuthentic(SCRAMError)
    /// The server has refused a resource, with that condition of a stanza error.
    case bindingFailed(condition: String)
    /// Other connections of the account took the resource again and again, also the other resources that the connector
    /// requested in between. Has the configured resource (``XMPPConnectorConfiguration/resource``).
    case resourceConflict(String?)
}

/// A part of making or using a connection that has a time limit.
public enum ConnectionStage: String, Hashable, Sendable {
    case connecting, securing, opening, authenticating, binding, pinging
}

extension XMPPConnectionError {
    /// Whether a retry is useless until the user or the developer acts.
    ///
    /// On an encrypted connection, an attacker without a trusted certificate cannot cause a final error. A server with
    /// a trusted certificate can: it can reject the login or the account, or name another address. It can also end the
    /// stream with a final error, or request another salt of a client that only has a ``SaltedPassword``. As long as no
    /// mechanism is remembered, it can offer none that may be used. The real server's answers look the same. With
    /// SCRAM, ``tasksNeeded(_:)`` needs the real server's proof, which an attacker can relay if the login is not bound
    /// to the certificate.
    ///
    /// No other error is final. A captive portal shows its own certificates until the user has logged in, and an
    /// attacker that strips known mechanisms or breaks SCRAM must not end the session for good. A server that detects a
    /// wrong channel binding has detected that attacker; ejabberd reports that as `not-authorized`, which is final. A
    /// retry gives an impostor another proof of the password. That proof helps it no more than the first: a guess is
    /// checked against one proof.
    public var isFinal: Bool {
        switch self {
        case .invalidAddress, .unnameableDomain, .invalidPassword, .invalidTrustRoots, .invalidUserAgent,
            .passwordNeeded, .tasksNeeded, .wrongAccount, .resourceConflict:
            true
        case .serverNotAuthentic(let error): error.isOfAccount
        case .authenticationFailed(let condition, _): Self.conditionsOfAccount.contains(condition)
        case .streamError(let error): error.isFinal
        case .noMechanism(_, let isFinal), .noChannelBinding(_, let isFinal): isFinal
        default: false
        }
    }

    /// The conditions of SASL (RFC 6120 §6.5) that only the owner of the account can repair. The others concern this
    /// attempt.
    private static let conditionsOfAccount: Set = [
        "account-disabled", "credentials-expired", "invalid-authzid", "not-authorized",
    ]
}

extension XMPPConnectionError {
    public var isReset: Bool { self == .connectionReset }

    public var isRefusedLogin: Bool {
        if case .authenticationFailed("not-authorized", _) = self { true } else { false }
    }

    /// Whether another of the domain's servers would return the same error: it concerns the account, not the server.
    var isOfAccount: Bool {
        switch self {
        case .streamError, .noMechanism, .noChannelBinding: false
        default: isFinal
        }
    }

    /// Whether an attacker on the path, or the server itself, may have weakened the connection or the login.
    var isOfSecurity: Bool {
        switch self {
        case .encryptionNotOffered, .encryptionRefused, .dataBeforeTLS, .certificateRejected, .noMechanism,
            .noChannelBinding, .plainWithoutEncryption, .weakerMechanism, .serverNotAuthentic, .bindingRefused:
            true
        default: false
        }
    }

    /// The more informative of two servers' errors. If one of the servers may return, retrying makes sense. But an
    /// attack on one server must not hide in the outage of another.
    func orRather(_ other: XMPPConnectionError) -> XMPPConnectionError {
        if isOfSecurity != other.isOfSecurity {
            let (attack, rest) = isOfSecurity ? (self, other) : (other, self)
            return rest.isFinal ? attack : attack.whileOthersMayReturn
        }
        return other.isFinal && !isFinal ? self : other
    }

    /// The same error, which is not final, because another server may have a better offer when it returns.
    private var whileOthersMayReturn: XMPPConnectionError {
        switch self {
        case .noMechanism(let offered, _): .noMechanism(offered: offered)
        case .noChannelBinding(let kinds, _): .noChannelBinding(kinds: kinds)
        default: self
        }
    }
}

extension XMPPConnectionError: CustomStringConvertible, LocalizedError {
    /// One line of bounded length, whatever the server's texts are.
    public var description: String { sentence.excerpt(Self.longestSentence) }

    public var errorDescription: String? { description }

    /// The longest description, in Unicode scalars: no sentence with excerpts of the server's texts is longer.
    static let longestSentence = 1000

    private var sentence: String {
        switch self {
        case .invalidAddress(let address): "expected an address like juliet@example.org, found \(address.excerpt())"
        case .unnameableDomain(let domain):
            "no certificate can be for \(domain.excerpt()): a DNS name has no underscore. The server's operator has to "
                + "give it a domain without one"
        case .invalidPassword: "the password is empty, or has control characters or others that no password may have"
        case .invalidTrustRoots(let reason): "the trusted certificates cannot be used: \(reason)"
        case .invalidUserAgent(let error): "the user agent cannot be sent: \(error)"
        case .notConnected(let host, let port, let reason):
            "no connection to \(host.excerpt()), port \(port): \(reason)"
        case .timedOut(let stage): "\(stage.rawValue) took too long"
        case .connectionLost: "the connection was lost"
        case .connectionReset: "the server, or a device on the path, ended the connection without a reason"
        case .encryptionNotOffered: "the server offers no STARTTLS, and the client sends nothing without encryption"
        case .encryptionRefused: "the server has refused STARTTLS"
        case .dataBeforeTLS:
            "more than the answer to STARTTLS arrived unencrypted: an attacker on the path may have injected it"
        case .tlsFailed(let reason): "TLS could not be set up: \(reason)"
        case .certificateRejected(let reason): "the server's certificate is not accepted: \(reason)"
        case .invalidXML(let error): "the server's stream cannot be read: \(error)"
        case .invalidStream(let reason): "the server does not speak XMPP as a client needs it: \(reason)"
        case .unexpectedElement(let name, let stage):
            "the client did not expect <\(name.excerpt())/> while \(stage.rawValue)"
        case .streamError(let error): "\(error)"
        case .closedByServer(let stage): "the server has closed the stream while \(stage.rawValue)"
        case .tooManyRedirections: "the servers redirect the client from one to another too often"
        case .noMechanism(let offered, _):
            "the server offers \(Self.list(offered, or: "no mechanism")), of which none may be used here: an attacker on "
                + "the path may have removed the others. Ask the server's operator before you add one to the "
                + "configuration's `mechanisms`"
        case .noChannelBinding(let kinds, _) where kinds.contains(ChannelBinding.kind):
            "the server offers channel binding, but the signature of its certificate has no hash to bind to, such as "
                + "Ed25519's: an attacker on the path may show such a certificate. Ask the server's operator for another "
                + "certificate before you add mechanisms without -PLUS to the configuration's `mechanisms`"
        case .noChannelBinding(let kinds, _):
            "the server offers channel binding, but not of the kind \(ChannelBinding.kind) that the client has (kinds: "
                + "\(Self.list(kinds, or: "not listed"))): an attacker on the path may have removed it. Ask the server's "
                + "operator for that kind before you add mechanisms without -PLUS to the configuration's `mechanisms`"
        case .plainWithoutEncryption(let offered):
            "the server offers \(Self.list(offered, or: "no mechanism")), and PLAIN is not used without encryption: use "
                + "`.startTLS` or `.directTLS`, or set the configuration's `allowsPlainWithoutEncryption` for tests on one "
                + "machine"
        case .weakerMechanism(let mechanism, let remembered):
            "the strongest mechanism that the server offers and the configuration accepts is \(mechanism), but the "
                + "account was authenticated with \(remembered.excerpt()) before: an attacker on the path may have "
                + "removed the stronger mechanisms, or the channel binding of the kind \(ChannelBinding.kind). If the "
                + "server's operator confirms the change, accept it once: "
                + "`setStrongestMechanism(nil, of: account)` of the configuration's `mechanismStore`"
        case .passwordNeeded:
            "the salted password does not fit the server's challenge: connect with the password itself, and store the "
                + "new salted password"
        case .tasksNeeded(let tasks):
            "the server requires more than a password: \(Self.list(tasks, or: "nothing named"));"
                + " no such task can be done here"
        case .wrongAccount(let account, let expected):
            "expected the account \(expected.excerpt()), found \(account.excerpt())"
        case .authenticationFailed(let condition, let text):
            "the server rejected the login: \(condition.excerpt())" + (text.map { " (\($0.excerpt()))" } ?? "")
                + (condition == "not-authorized" ? "; check the user's name and the password" : "")
        case .bindingRefused(let text):
            "the server rejected the login as malformed" + (text.map { " (\($0.excerpt()))" } ?? "")
                + ": it seems to have another certificate than arrived here, because of a relay or a TLS offloader, or an "
                + "attacker on the path removed its offer of channel binding. Ask the server's operator"
        case .serverNotAuthentic(let error): "\(error)"
        case .bindingFailed(let condition): "the server has refused a resource: \(condition.excerpt())"
        case .resourceConflict(let resource):
            "another connection of the account ended this one again and again"
                + (resource.map { " (configured resource: \($0.excerpt()))" } ?? "")
                + ": the server seems to allow only one, so end the other program"
        }
    }

    private static func list(_ names: [String], or none: String) -> String {
        names.isEmpty ? none : names.joined(separator: ", ").excerpt()
    }
}
