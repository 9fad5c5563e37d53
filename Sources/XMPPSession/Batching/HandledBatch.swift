// The stanzas that one transaction commits.

import Persistence
import StreamManagement
import XMLTree

/// Stanzas whose handlers have returned and whose effects have not committed.
struct HandledBatch {
    /// A stanza and what its handler has collected.
    struct Entry {
        let stanza: ReceivedStanza
        let work: StanzaWork
        /// The stanzas that the session sends after the commit.
        let outgoing: [Element]
    }

    /// Stanzas of a batch: at that number, a stanza's share of the wait for the disk is small, and other processes wait
    /// no longer for the transaction than for a few commits.
    static let maximumCount = 256
    /// Bytes of a batch's stanzas, received and outgoing ones: a transaction of a megabyte takes a slow disk some
    /// hundredths of a second.
    static let maximumSize = 1 << 20
    /// How long the first stanza of a batch waits for others: people do not notice it, and no disk commits as many
    /// transactions in it as it saves.
    static let maximumAge = Duration.milliseconds(50)

    private(set) var entries: [Entry] = []
    /// Requests that the entries end.
    private(set) var serials: Set<Int64> = []
    private var identifiers: Set<UniqueIdentifier> = []
    private var size = 0
    /// Open requests that were read for several answers, by their identifiers. A request that has ended
    /// has the value `nil`.
    private(set) var requests: [String: OpenRequest?] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Whether the batch can take another stanza.
    func hasRoom(limit: Int) -> Bool { entries.count < limit && size < Self.maximumSize }

    /// How many answers one read looks up.
    var room: Int { Self.maximumCount - entries.count }

    /// Whether an entry has noted that stanza as handled.
    func hasNoted(_ identifier: UniqueIdentifier) -> Bool { identifiers.contains(identifier) }

    mutating func append(_ stanza: ReceivedStanza, _ work: StanzaWork) {
        let entry = Entry(stanza: stanza, work: work, outgoing: work.takeStanzas())
        entries.append(entry)
        size += ([stanza.element] + entry.outgoing).reduce(0) { $0 + $1.weight }
        identifiers.formUnion(work.notedIdentifiers)
        if let serial = work.endedRequest.withLock(\.self) { serials.insert(serial) }
    }

    /// Keeps the requests that one read has found.
    mutating func note(_ found: [String: OpenRequest?]) { requests.merge(found) { _, new in new } }

    /// Forgets it: requests have ended since.
    mutating func forgetRequests() { requests = [:] }

    /// Takes everything out.
    mutating func take() -> HandledBatch {
        defer { self = HandledBatch() }
        return self
    }
}

/// A request that has an answer, and the other occasions of its handler.
struct OpenRequest: Sendable {
    let request: StoredRequest
    let sharing: HandlerSharing
}

/// Why a batch, or a part of it, did not commit.
enum BatchFailure {
    /// The entry of this stanza failed. The stanzas after it come again.
    case entry(ReceivedStanza, any Error, later: [ReceivedStanza])
    /// The transaction failed. All stanzas come again.
    case transaction([ReceivedStanza], any Error)
}

/// The batch before this handler has failed: the handler's own changes are not committed, and its stanza comes again.
struct EarlierStanzaFailed: Error {}
