// A connection: bytes on their way in two directions, until it is cut.

import StreamReference
import XMLTree

/// One TCP connection.
final class SimulatedLink: ServerLink {
    /// The bytes on their way.
    private(set) var toServer = ByteQueue()
    private(set) var toClient = ByteQueue()
    /// Broken: nothing arrives any more.
    private(set) var isCut = false
    /// The stanzas that the client has sent in the session that it began, or resumed, on this connection.
    var transmitted: TransmissionLog?
    /// Whether the client has given it up.
    var isLeft = false
    /// Whether the server still reads and writes here.
    var isOpenAtServer = true
    /// Reads the client's bytes.
    private var parser = XMLStreamParser(mode: .stream)

    init() { parser.feed(SimulatedClient.header) }

    /// The next element or end in these bytes.
    func next(_ bytes: ArraySlice<UInt8> = []) throws -> XMLStreamParser.Event? {
        parser.feed(bytes)
        do {
            return try parser.next()
        } catch {
            throw Violation("the client writes XML", "\(error)")
        }
    }

    func writeToServer(_ bytes: [UInt8]) {
        if !isCut { toServer.append(bytes) }
    }

    func writeToClient(_ bytes: [UInt8]) {
        if !isCut, isOpenAtServer { toClient.append(bytes) }
    }

    func takeToServer(_ count: Int) -> ArraySlice<UInt8> { toServer.take(count) }

    func takeToClient(_ count: Int) -> ArraySlice<UInt8> { toClient.take(count) }

    /// Whether the client sees the end of a cut connection as a reset.
    private(set) var isReset = false

    /// Breaks the connection. The bytes on their way are lost, perhaps in the middle of an element.
    func cut(asReset: Bool = false) {
        isCut = true
        isReset = asReset
        toServer = ByteQueue()
        toClient = ByteQueue()
    }
}

/// Bytes in order.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }

    mutating func append(_ new: [UInt8]) {
        bytes.append(contentsOf: new)
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        let end = start + min(max(count, 0), self.count)
        let taken = bytes[start..<end]
        start = end
        if start == bytes.count {
            bytes = []
            start = 0
        }
        return taken
    }
}
