// The reads and writes of the session that belong to no handler, each in one transaction.

import Foundation
import Locking
import Persistence
import SessionCore
import StreamManagement
import XMLTree
import XMPPCore

/// The rows of one account's session.
struct SessionRows: Sendable {
    let account: JID
    let database: StanzaDatabase

    /// The open requests that stanzas answer, in the order of the stanzas.
    func requests(answeredBy stanzas: [Element?]) async throws -> [StoredRequest?] {
        try await database.read { [account] transaction in
            try stanzas.map { stanza in
                do {
                    guard let stanza, let id = stanza["id"],
                        let request = try transaction.requests.request(id, of: account),
                        Requests.accepts(
                            from: stanza["from"], at: stanza["to"], to: request.recipient, account: account)
                    else { return nil }
                    return request
                } catch StanzaDatabaseError.invalidRecord {
                    // No version of the program can read which handler waits for it.
                    return nil
                }
            }
        }
    }

    /// The request with that number; `nil` if it has ended.
    func request(_ serial: DurableSessionCore.Serial) async throws -> StoredRequest? {
        try await database.read { try $0.requests.request(serial: serial.rawValue) }
    }

    /// The requests that have a cause to end, and the later ones with a deadline.
    func endingRequests(after serial: DurableSessionCore.Serial) async throws -> [DurableSessionCore.Request] {
        try await database.read { [account] transaction in
            let lost = try transaction.requests.lost(of: account)
            return try lost + transaction.requests.timed(of: account, after: serial.rawValue)
        }.map(DurableSessionCore.Request.init)
    }

    /// Cleans up before a stream begins.
    ///
    /// - Parameters:
    ///   - losesUnresumable: Whether the requests of streams without a resumable session are lost.
    ///   - timedOut: Requests that are not to be sent any more.
    func sweep(
        losesUnresumable: Bool, timedOut: [DurableSessionCore.Serial], with stream: StreamSession
    ) async throws {
        @Sendable func requests(_ transaction: DatabaseTransaction) throws -> [StoredRequest] {
            try timedOut.compactMap { try transaction.requests.request(serial: $0.rawValue) }
        }
        if !losesUnresumable, try await database.read({ try requests($0).isEmpty }) { return }
        let work = DatabaseWork(database: database)
        let withdrawn = Lock<[StoredRequest]>([])
        try work.add { [account] transaction in
            // A request may have ended since the read, and its invalidation may have sent the same stanza again.
            let found = try requests(transaction)
            withdrawn.withLock { $0 = found }
            if losesUnresumable { try transaction.requests.lose(of: account, sentIn: nil) }
        }
        try await stream.commit(nil, with: work) { stanza in
            withdrawn.withLock { Requests.isOne(of: $0, stanza) }
        }
    }

    /// Removes the rows of a closed session, unless another owner has had it since.
    ///
    /// - Returns: The requests that are left.
    func forget(after stream: StreamSession) async throws -> [DurableSessionCore.Request] {
        guard let owner = await stream.lastStore as? DatabaseSession else { return [] }
        return try await database.forgetClosed(account, of: owner.token).map(DurableSessionCore.Request.init)
    }
}

extension DurableSessionCore.Request {
    fileprivate init(_ request: StoredRequest) {
        self.init(
            serial: DurableSessionCore.Serial(rawValue: request.serial), deadline: request.deadline,
            timeout: request.timeout, cause: request.end.map { DurableSessionCore.Outcome($0) })
    }
}

extension DurableSessionCore.Outcome {
    init(_ end: StoredRequest.End) {
        switch end {
        case .lost: self = .lost
        case .notHandled: self = .notHandled
        case .rejected: self = .rejected
        case .timedOut: self = .timedOut
        case .answered: self = .answered
        }
    }
}

extension StoredRequest.End {
    init(_ outcome: DurableSessionCore.Outcome) {
        switch outcome {
        case .lost: self = .lost
        case .notHandled: self = .notHandled
        case .rejected: self = .rejected
        case .timedOut: self = .timedOut
        case .answered: self = .answered
        }
    }
}
