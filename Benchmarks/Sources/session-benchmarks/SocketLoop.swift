// The least that sending and receiving can cost: messages written one by one, and requests and acknowledgements by
// fives, without a session, a parser or storage.

import Foundation

enum SocketLoop {
    /// Writes messages, and returns when the last one is acknowledged.
    static func send(_ count: Int, to server: LoopbackServer) throws {
        let socket = try open(server)
        defer { socket.shutDown() }
        let isAcknowledged = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = read(until: "h='\(count)'", socket)
            isAcknowledged.signal()
        }
        let message = Array(Message.text.utf8)
        let request = Array("<r xmlns='urn:xmpp:sm:3'/>".utf8)
        for number in 1...count {
            try socket.write(message)
            if number % 5 == 0 { try socket.write(request) }
        }
        isAcknowledged.wait()
    }

    /// Reads messages, and acknowledges them. All are of the same length.
    static func receive(_ count: Int, from server: LoopbackServer) async throws {
        let socket = try open(server)
        defer { socket.shutDown() }
        let acknowledgements = server.acknowledgements(sending: count)
        try socket.write(Array("<presence/>".utf8))
        let length = Message.text.utf8.count
        var (bytes, acknowledged) = (0, 0)
        while acknowledged < count, let more = socket.read() {
            bytes += more.count
            while bytes / length >= acknowledged + 5 {
                acknowledged += 5
                try socket.write(Array("<a xmlns='urn:xmpp:sm:3' h='\(acknowledged)'/>".utf8))
            }
        }
        for await handled in acknowledgements where handled >= count { break }
    }

    private static func open(_ server: LoopbackServer) throws -> LoopbackSocket {
        let socket = try LoopbackSocket(port: server.port)
        let opening = """
            <stream:stream to='localhost' version='1.0' xmlns='jabber:client' \
            xmlns:stream='http://etherx.jabber.org/streams'><enable xmlns='urn:xmpp:sm:3'/>
            """
        try socket.write(Array(opening.utf8))
        guard read(until: "max='600'/>", socket) else { throw POSIXError(.ECONNRESET) }
        return socket
    }

    /// - Returns: `false` if it does not come.
    private static func read(until wanted: String, _ socket: LoopbackSocket) -> Bool {
        var end = ""
        while let bytes = socket.read() {
            end = String(end.suffix(wanted.count)) + String(decoding: bytes, as: UTF8.self)
            if end.contains(wanted) { return true }
        }
        return false
    }
}
