// Removes expired promises, in small transactions that block others only briefly.

import Foundation

/// The result of a sweep.
public struct PromiseSweep: Sendable, Equatable {
    /// Promises that timed out. Tasks may still wait for them.
    public internal(set) var timedOut: [UUID] = []
    /// Promises that were removed after the acknowledgement of their outcome.
    public internal(set) var consumed: [UUID] = []
    /// Promises that were removed without an acknowledged outcome, pending ones included.
    public internal(set) var lost: [UUID] = []

    /// Promises that were removed because their records are damaged. Their keys are free.
    public internal(set) var damaged: [DamagedPromise] = []

    /// A sweep that found nothing.
    public init() {}
}

/// The readable parts of a promise whose record is damaged.
public struct DamagedPromise: Sendable, Hashable {
    public let id: UUID?
    public let key: String?

    public init(id: UUID?, key: String?) {
        self.id = id
        self.key = key
    }
}

extension PromiseCenter {
    /// Times out promises whose deadline has passed, and removes expired promises and damaged records. A center sweeps
    /// when it starts. While tasks wait, it sweeps from time to time, except for damaged records. Call this method also
    /// in a long-lived process that only resolves. Linear in the number of promises.
    ///
    /// - Throws: Errors of the store. A part of the sweep may be committed by then.
    public func sweep() async throws -> PromiseSweep {
        var damaged: [DamagedPromise] = []
        while true {
            let part = try await store.writePromises { try $0.removeDamaged(limit: PromiseLimits.batch) }
            damaged += part
            if part.count < PromiseLimits.batch { break }
        }
        var sweep = try await sweepReadable()
        sweep.damaged = damaged
        return sweep
    }

    /// Sweeps without a look at every record.
    func sweepReadable() async throws -> PromiseSweep {
        var sweep = PromiseSweep()
        while true {
            let part = try await store.writePromises { [time] transaction in
                try time.note(in: transaction)
                return try Self.sweepOnce(at: time.now, in: transaction)
            }
            sweep.timedOut += part.timedOut
            sweep.consumed += part.consumed
            sweep.lost += part.lost
            let count = max(part.changed, part.consumed.count + part.lost.count)
            if count < PromiseLimits.batch { return sweep }
        }
    }

    nonisolated func report(_ sweep: PromiseSweep) {
        if sweep.lost.isEmpty { return }
        logger.warning(
            "promises were removed before anybody acknowledged their outcome",
            metadata: ["count": "\(sweep.lost.count)"])
    }

    private static func sweepOnce(
        at now: Date, in transaction: any PromiseTransaction
    ) throws -> (timedOut: [UUID], consumed: [UUID], lost: [UUID], changed: Int) {
        let due = try transaction.duePromises(at: now, limit: PromiseLimits.batch)
        var timedOut: [UUID] = []
        for var record in due {
            record.expire(at: now)
            try transaction.update(record)
            if record.outcome != nil { timedOut.append(record.id) }
        }
        let expired = try transaction.expiredPromises(at: now, limit: PromiseLimits.batch)
        for record in expired { try transaction.remove(record.id) }
        let consumed = expired.filter { $0.acknowledged != nil }.map(\.id)
        let lost = expired.filter { $0.acknowledged == nil }.map(\.id)
        return (timedOut, consumed, lost, due.count)
    }
}
