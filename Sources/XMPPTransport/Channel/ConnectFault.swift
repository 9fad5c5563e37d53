// The reason why no connection was made, as a text for users. It does not use NIO: ByteChannel.swift reads NIO's
// errors.

import Foundation
import SafeText
import StreamManagement

/// A failed attempt to connect.
enum ConnectFault: Equatable {
    /// The name has no address, or no name server answers.
    case unknownHost
    /// The host answers that no program listens on the port.
    case refused
    /// No answer has come in time.
    case timedOut
    /// The system finds no way to the host.
    case unreachable
    /// The host, or a device on the path, ended the connection while it was made.
    case reset
    /// The process or the system has no room for another socket.
    case tooManyFiles
    /// Any other reason, with the text of the system or of NIO.
    case other(String)

    /// - Parameter number: The error of a system call.
    init(system number: Int32) {
        switch number {
        case ECONNREFUSED: self = .refused
        case ETIMEDOUT: self = .timedOut
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL: self = .unreachable
        case ECONNRESET: self = .reset
        case EMFILE, ENFILE: self = .tooManyFiles
        default: self = .other(String(cString: strerror(number)))
        }
    }
}

extension ConnectFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .unknownHost: "the host has no address: check its name, and whether the network works"
        case .refused: "the host refuses connections there: check the port, and whether the server runs"
        case .timedOut: "the host does not answer: check the port, and whether a firewall is in between"
        case .unreachable: "the host cannot be reached: check the network"
        case .reset: "the host, or a device on the path, ended the connection: check the port, and firewalls in between"
        case .tooManyFiles:
            "the process or the system has too many open files and sockets: close some, or raise the limit (`ulimit -n`)"
        case .other(let text):
            "the attempt failed on this machine: check its network settings (detail: \(text.excerpt()))"
        }
    }
}
