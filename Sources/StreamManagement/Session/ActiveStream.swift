// What a session knows about the stream it is on.

/// A stream while it lives. Belongs to the session.
final class ActiveStream {
    let id: UInt64
    let transport: any StanzaTransport
    let features: StreamFeatures
    /// What is to be written: bytes, and the stanzas that they are.
    private(set) var outbox: [UInt8] = []
    private var numbers: [OutgoingNumber] = []
    /// Writes the outbox, while there is something in it.
    var writer: Task<Void, Never>?
    /// Closes the transport, once that has begun.
    var closing: Task<Void, Never>?
    /// Why it ended, once it has.
    private(set) var end: StreamEnd?
    /// Reading has paused since the other side was waited for: an answer may lie unread.
    var hasPausedReading = false
    /// An element is waited for now: whatever has come has been read.
    var isReceiving = false
    /// How many elements have come.
    var receivedCount: UInt64 = 0
    /// What had moved when the answers were last waited for that the timers are for.
    var marks: [StreamManagementCore.Timer: Traffic] = [:]
    /// How often these answers were waited for once more, as something had moved.
    var extensions: [StreamManagementCore.Timer: Int] = [:]
    /// The identifier of a ping that has no answer.
    var ping: String?
    /// The server did not resume the session: a resource has to be bound.
    var needsBinding = false
    /// `<enable/>` was part of the authentication: it is not sent again.
    var enablesInline = false

    init(id: UInt64, transport: any StanzaTransport, features: StreamFeatures) {
        self.id = id
        self.transport = transport
        self.features = features
    }

    /// Bytes that may wait to be written before senders and readers wait, too.
    static let outboxLimit = 1 << 18

    var isFull: Bool { outbox.count >= Self.outboxLimit }

    /// What has moved, where that is known; what waits in the outbox waits, too.
    var traffic: Traffic? {
        guard var traffic = transport.traffic else { return nil }
        traffic.waiting += outbox.count
        return traffic
    }

    func append(_ write: (inout [UInt8]) -> Void, number: OutgoingNumber? = nil) {
        guard end == nil else { return }
        write(&outbox)
        if let number { numbers.append(number) }
    }

    func takeOutbox() -> (bytes: [UInt8], numbers: [OutgoingNumber])? {
        guard !outbox.isEmpty else { return nil }
        defer {
            outbox = []
            numbers = []
        }
        return (outbox, numbers)
    }

    /// The first reason counts.
    func end(_ reason: StreamEnd) {
        if end == nil { end = reason }
    }
}
