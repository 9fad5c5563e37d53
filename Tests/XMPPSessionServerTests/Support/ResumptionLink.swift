// A network between a client and a real server that fails at `<resume/>`.

import Foundation
import Locking
import ServerSupport

/// Forwards unencrypted connections to a port of this machine, and records the bytes of the clients.
final class ResumptionLink: Sendable {
    /// What happens instead of forwarding `<resume/>`.
    enum Fault: CaseIterable {
        case closes, resets, isSilent
    }

    let port: UInt16
    private let target: UInt16
    private let listening: ListeningSocket
    private let state = Lock(State())

    private struct State {
        var isDown = false
        /// Whether the bytes of clients are lost.
        var losesBytes = false
        var fault: Fault?
        var renamesSessions = false
        var resumptionCount = 0
        /// The client's and the server's end.
        var connections: [Int: (client: Socket, server: Socket)] = [:]
        /// The bytes of the client of each connection.
        var written: [[UInt8]] = []
    }

    init(to target: UInt16) throws {
        self.target = target
        listening = try ListeningSocket()
        port = listening.port
        try listening.listen()
        let listening = listening
        Thread.detachNewThread { [weak self] in
            while let client = listening.next() { self?.accept(client) }
        }
    }

    deinit { listening.shutDown() }

    // MARK: Faults

    /// Cuts all connections, and later ones, until `comeUp()`.
    func goDown() {
        state.withLock { $0.isDown = true }
        cut()
    }

    /// Forwards later connections.
    ///
    /// - Parameters:
    ///   - fault: The fault at each `<resume/>`.
    ///   - renamesSessions: Whether the server gets the name of an unknown session, which it refuses to resume.
    func comeUp(fault: Fault? = nil, renamesSessions: Bool = false) {
        state.withLock {
            ($0.isDown, $0.losesBytes, $0.fault, $0.renamesSessions) = (false, false, fault, renamesSessions)
        }
    }

    /// Loses what clients send from now on, until `comeUp()`.
    func loseBytes() { state.withLock { $0.losesBytes = true } }

    func end() {
        goDown()
        listening.shutDown()
    }

    private func cut() {
        for (client, server) in state.withLock({ $0.connections.values.map(\.self) }) {
            client.shutDown()
            server.shutDown()
        }
    }

    // MARK: Records

    /// How often clients have sent `<resume/>`.
    var resumptionCount: Int { state.withLock(\.resumptionCount) }

    /// What the client of the last connection has sent.
    var lastWritten: String { state.withLock { String(decoding: $0.written.last ?? [], as: UTF8.self) } }

    /// The `id` of each stanza of the last session, in order.
    var idsOfLastSession: [String] {
        let written = lastWritten
        guard let begin = written.range(of: "<enable ")?.upperBound else { return [] }
        return written[begin...].matches(of: /\sid=['"]([^'"]*)['"]/).map { String($0.1) }
    }

    // MARK: Forwarding

    private func accept(_ client: Socket) {
        guard !state.withLock(\.isDown), let server = try? Socket(port: target) else { return client.shutDown() }
        let number = state.withLock { state in
            state.connections[state.written.count] = (client, server)
            state.written.append([])
            return state.written.count - 1
        }
        Thread.detachNewThread { [self] in passUp(number, client, server) }
        Thread.detachNewThread { [self] in
            while let bytes = server.read(), (try? client.write(bytes)) != nil {}
            close(number)
        }
    }

    private func passUp(_ number: Int, _ client: Socket, _ server: Socket) {
        while var bytes = client.read() {
            // A client writes a small element with one call, and the loopback interface does not split it.
            let text = String(decoding: bytes, as: UTF8.self)
            let isResumption = text.contains("<resume ")
            let (fault, renames, isLost) = state.withLock { state in
                state.written[number] += bytes
                if isResumption { state.resumptionCount += 1 }
                return (isResumption ? state.fault : nil, isResumption && state.renamesSessions, state.losesBytes)
            }
            switch fault {
            case .closes: return close(number)
            case .resets:
                client.resetsAtEnd()
                state.withLock { $0.connections[number] = nil }
                return server.shutDown()
            case .isSilent: continue
            case nil: break
            }
            if renames { bytes = Array(text.replacing(/previd=(['"])./) { "previd=\($0.1)_" }.utf8) }
            if isLost { continue }
            guard (try? server.write(bytes)) != nil else { break }
        }
        close(number)
    }

    private func close(_ number: Int) {
        guard let (client, server) = state.withLock({ $0.connections.removeValue(forKey: number) }) else { return }
        client.shutDown()
        server.shutDown()
    }
}
