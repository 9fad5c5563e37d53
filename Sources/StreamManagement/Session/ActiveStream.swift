// The session's knowledge of its current stream.

/// A running stream. Belongs to the session.
final class ActiveStream {
    let id: UInt64
    let transport: any StanzaTransport
    let features: StreamFeatures
    /// The bytes to write. `numbers` holds the stanzas among them.
    private(set) var outbox: [UInt8] = []
    private var numbers: [OutgoingNumber] = []
    /// Writes the outbox, until it is empty.
    var writer: Task<Void, Never>?
    /// Why nothing more can be written.
    private(set) var writeFailure: (any Error)?
    /// Closes the transport, once that has begun.
    var closing: Task<Void, Never>?
    /// Why it ended, once it has.
    private(set) var end: StreamEnd?
    /// Reading has paused since the session began to wait for an answer, which may be unread.
    var hasPausedReading = false
    /// The session waits for an element, and has read everything that came.
    var isReceiving = false
    /// The number of received elements.
    var receivedCount: UInt64 = 0
    /// The traffic at the time when each timer was last armed.
    var marks: [StreamManagementCore.Timer: ByteCounts] = [:]
    /// How often each timer was armed again because bytes had moved.
    var extensions: [StreamManagementCore.Timer: Int] = [:]
    /// The identifier of an unanswered ping.
    var ping: String?
    /// The server did not resume the session: the session has to bind a resource.
    var needsBinding = false
    /// `<enable/>` was part of the authentication: the session does not send it again.
    var enablesInline = false

    init(id: UInt64, transport: any StanzaTransport, features: StreamFeatures) {
        self.id = id
        self.transport = transport
        self.features = features
    }

    /// The number of bytes in the outbox at which senders and readers wait.
    static let outboxLimit = 1 << 18

    var isFull: Bool { outbox.count >= Self.outboxLimit }

    /// The transport's traffic, with the outbox among the waiting bytes; `nil` if the transport does not count.
    var traffic: ByteCounts? {
        guard var traffic = transport.traffic else { return nil }
        traffic.waiting += outbox.count
        return traffic
    }

    func append(_ write: (inout [UInt8]) -> Void, number: OutgoingNumber? = nil) {
        guard end == nil, writeFailure == nil else { return }
        write(&outbox)
        if let number { numbers.append(number) }
    }

    func takeOutbox() -> (bytes: [UInt8], numbers: [OutgoingNumber])? {
        guard !outbox.isEmpty, writeFailure == nil else { return nil }
        defer {
            outbox = []
            numbers = []
        }
        return (outbox, numbers)
    }

    /// Nothing more is written, so the outbox holds up neither senders nor the reader.
    func writingFailed(_ error: any Error) {
        writeFailure = error
        outbox = []
        numbers = []
    }

    /// The first reason counts.
    func end(_ reason: StreamEnd) {
        if end == nil { end = reason }
    }
}
