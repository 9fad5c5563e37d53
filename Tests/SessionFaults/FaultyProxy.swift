// A network that fails. Between the clients and the server, it cuts connections after any byte, splits the data
// anywhere, delays it, and swallows it.

import Foundation
import Locking
import ServerSupport
import TestSupport

/// Forwards connections to a port of this machine, with faults that the seed decides, until `heal()`.
package final class FaultyProxy: Sendable {
    package let port: UInt16
    private let target: UInt16
    /// The folder for the forwarded data, with a file for each direction of each connection.
    private let records: URL?
    private let listening: ListeningSocket
    private let state: Lock<State>

    private struct State {
        var random: SeededGenerator
        var isHealed = false
        var isOver = false
        var count = 0
        var connections: [Int: [Socket]] = [:]
    }

    package init(to target: UInt16, seed: UInt64, records: URL? = nil) throws {
        self.target = target
        self.records = records
        listening = try ListeningSocket()
        port = listening.port
        state = Lock(State(random: SeededGenerator(seed: seed)))
        try listening.listen()
        let listening = listening
        Thread.detachNewThread { [weak self] in
            while let client = listening.next() { self?.accept(client) }
        }
    }

    deinit { end() }

    /// Cuts all connections, and forwards later ones without faults.
    package func heal() {
        state.withLock { $0.isHealed = true }
        cut()
    }

    /// Cuts all connections.
    package func cut() {
        for socket in state.withLock({ $0.connections.values.joined() }) { socket.shutDown() }
    }

    package func end() {
        state.withLock { $0.isOver = true }
        cut()
        listening.shutDown()
    }

    private func accept(_ client: Socket) {
        guard let server = try? Socket(port: target) else { return client.shutDown() }
        let plan = state.withLock { state -> (id: Int, Way, Way)? in
            if state.isOver { return nil }
            state.count += 1
            state.connections[state.count] = [client, server]
            if state.isHealed { return (state.count, .good, .good) }
            return (state.count, Way(&state.random), Way(&state.random))
        }
        guard let (id, up, down) = plan else { return client.shutDown() }
        let (upRecord, downRecord) = (record("up", id), record("down", id))
        Thread.detachNewThread { [weak self] in
            up.pass(from: client, to: server, record: upRecord)
            self?.forget(id)
        }
        Thread.detachNewThread { [weak self] in
            down.pass(from: server, to: client, record: downRecord)
            self?.forget(id)
        }
    }

    private func record(_ direction: String, _ id: Int) -> FileHandle? {
        guard let file = records?.appending(path: "\(direction)-\(id).xml"),
            FileManager.default.createFile(atPath: file.path, contents: nil)
        else { return nil }
        return try? FileHandle(forWritingTo: file)
    }

    private func forget(_ id: Int) {
        state.withLock { $0.connections[id] = nil }
    }
}

/// One direction of a connection.
private struct Way {
    /// After how many bytes the direction fails; `nil` for never.
    var length: Int?
    /// Whether it then swallows the rest instead of ending the connection.
    var isSilent = false
    /// The sizes of the forwarded pieces, and the pauses before them in microseconds.
    var pieces = 1...65_536
    var pauses: ClosedRange<UInt32> = 0...0
    var random: SeededGenerator

    static let good = Way(random: SeededGenerator(seed: 0))

    private init(random: SeededGenerator) { self.random = random }

    init(_ random: inout SeededGenerator) {
        self.random = SeededGenerator(seed: random.next())
        if random.chance(50) {
            // The negotiation and the thousand bytes after it fail about equally often.
            length =
                random.chance(30)
                ? Int.random(in: 0..<1500, using: &random) : Int.random(in: 0..<20_000, using: &random)
            isSilent = random.chance(20)
        }
        if random.chance(50) { pieces = 1...Int.random(in: 1...200, using: &random) }
        if random.chance(30) { pauses = 0...UInt32.random(in: 0...3000, using: &random) }
    }

    func pass(from source: Socket, to destination: Socket, record: FileHandle?) {
        var random = random
        var left = length ?? .max
        while let bytes = source.read() {
            var rest = bytes[...]
            while !rest.isEmpty, left > 0 {
                let count = min(left, rest.count, Int.random(in: pieces, using: &random))
                if pauses.upperBound > 0 { usleep(UInt32.random(in: pauses, using: &random)) }
                do { try destination.write(Array(rest.prefix(count))) } catch { return close(source, destination) }
                try? record?.write(contentsOf: rest.prefix(count))
                rest = rest.dropFirst(count)
                left -= count
            }
            if left == 0, !isSilent { break }
        }
        close(source, destination)
    }

    private func close(_ source: Socket, _ destination: Socket) {
        source.shutDown()
        destination.shutDown()
    }
}
