// One connection of a scene: the client's bytes become events of a parser, and the server's elements become orders. It
// loses, cuts and delays bytes as the scenario says. It may not know why. Scene.swift reads and writes it.

import SafeText
import StreamReference
import XMLTree

/// An instruction for the owner of the sockets.
package enum Order: Equatable, Sendable {
    case write(connection: Int, [UInt8])
    case startTLS(connection: Int)
    case close(connection: Int, Closing)

    /// `abrupt` ends TCP without an end of TLS.
    package enum Closing: Sendable {
        case graceful, abrupt, reset
    }
}

/// The orders that wait for the owner of the sockets.
final class OrderQueue {
    var orders: [Order] = []
    /// Whether each byte is an order.
    var trickles = false
    var transcript = Transcript()
}

/// The last elements of both sides.
struct Transcript {
    private(set) var lines: [String] = []
    private static let limit = 30
    private static let mostCharacters = 300

    mutating func add(_ side: String, _ text: String) {
        if lines.count == Self.limit { lines.removeFirst() }
        lines.append("\(side) \(text.excerpt(Self.mostCharacters))")
    }
}

final class SceneLink: ServerLink {
    let number: Int
    /// Whether it came to the second port.
    let isSecond: Bool
    var login: ServerLogin
    private var parser = XMLStreamParser(mode: .stream, limits: ParserLimits(bytes: 1 << 18, depth: 32))
    private let queue: OrderQueue
    /// How many bytes of the client are still read; all without.
    var heard: Int?
    /// Whether the bytes of the server are lost.
    var isMute = false
    /// How many bytes are written before the connection is cut; all without; `.max` cuts it after the next element.
    var cutAfter: Int?
    /// When the held bytes are written.
    private(set) var heldUntil: Duration?
    private var held: [UInt8] = []
    /// The first element that is written is kept here instead.
    var captures = false
    private(set) var captured = ""

    var isOpenAtServer = true
    /// The client has closed it, or the network has cut it.
    var isGone = false
    var isLeft: Bool { isGone }
    /// The server is not to notice that the connection is gone.
    var isUnnoticed = false
    private(set) var isCut = false
    private(set) var isReset = false
    /// The server has proved itself with a wrong password.
    var isUnproven = false
    /// Whether the transcript shows its elements: a login would fill it.
    var isShown = true
    /// Whether the order to close has been given.
    var isClosed = false

    init(number: Int, isSecond: Bool, account: TortureAccount, queue: OrderQueue) {
        self.number = number
        self.isSecond = isSecond
        self.queue = queue
        login = ServerLogin(account: account)
    }

    func feed(_ bytes: [UInt8]) {
        let count = min(heard ?? bytes.count, bytes.count)
        if heard != nil { heard = (heard ?? 0) - count }
        if count > 0 { parser.feed(bytes.prefix(count)) }
    }

    func next() throws(Violation) -> XMLStreamParser.Event? {
        do {
            return try parser.next()
        } catch {
            throw Violation("a client writes well-formed XML (RFC 6120 §11)", "\(error)")
        }
    }

    func restart() { parser.reset() }

    func write(_ xml: String) { writeToClient(Array(xml.utf8)) }

    func startTLS() { if isOpenAtServer { queue.orders.append(.startTLS(connection: number)) } }

    func writeToClient(_ bytes: [UInt8]) {
        if captures {
            captures = false
            captured = String(decoding: bytes, as: UTF8.self)
            return
        }
        guard isOpenAtServer, !isCut, !isGone else { return }
        if isShown {
            queue.transcript.add(isMute ? "server, lost:" : "server:", String(decoding: bytes, as: UTF8.self))
        }
        if isMute { return }
        if heldUntil != nil { return held += bytes }
        pass(bytes)
    }

    private func pass(_ bytes: [UInt8]) {
        let left = cutAfter == .max ? bytes.count : cutAfter
        let count = min(left ?? bytes.count, bytes.count)
        let part = Array(bytes.prefix(count))
        if queue.trickles {
            queue.orders += part.map { .write(connection: number, [$0]) }
        } else if !part.isEmpty {
            queue.orders.append(.write(connection: number, part))
        }
        guard let left else { return }
        cutAfter = left - count
        if left <= bytes.count { cut(asReset: false) }
    }

    /// Keeps everything that is written until then.
    func hold(until time: Duration) { heldUntil = time }

    func release(at now: Duration) {
        guard let time = heldUntil, now >= time else { return }
        heldUntil = nil
        let bytes = held
        held = []
        pass(bytes)
    }

    func cut(asReset: Bool) {
        if isCut { return }
        isCut = true
        isReset = asReset
        queue.transcript.add("network:", asReset ? "the connection is reset" : "the connection is cut")
    }

    /// Gives the order to close a connection that is over at the server.
    func close() {
        if isClosed || isGone && !isCut { return }
        isClosed = true
        queue.orders.append(.close(connection: number, isReset ? .reset : isCut ? .abrupt : .graceful))
    }
}
