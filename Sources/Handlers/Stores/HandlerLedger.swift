// The rules of stores as a value: the stored handlers, the marks of ended ones, and when to drop a mark. It uses
// neither files nor locks.

import Foundation

struct HandlerLedger: Equatable {
    private(set) var records: [UUID: StoredHandler] = [:]
    private(set) var marks: [UUID: HandlerMark] = [:]
    /// When each handler with a mark ended.
    private(set) var ends: [UUID: Date] = [:]
    /// For each bound handler, the number of stored handlers that contain it.
    private var references: [UUID: Int] = [:]

    mutating func save(_ handler: StoredHandler) {
        let old = records[handler.id]
        var handler = handler
        handler.deferral = handler.deferral ?? old?.deferral
        count(handler.nested, by: 1)
        records[handler.id] = handler
        if let old { release(old.nested) }
    }

    mutating func remove(_ id: UUID) {
        guard let old = records.removeValue(forKey: id) else { return }
        release(old.nested)
        forgetMark(of: id)
    }

    /// A claim that ends a handler also removes those that ended longer ago than `HandlerLimits.retention`.
    mutating func claim(
        _ claim: HandlerClaim, of id: UUID, wasStored: Bool, now: Date
    ) throws(HandlerError) -> HandlerMark? {
        if let mark = marks[id] { return mark }
        guard isKnown(id) else {
            if wasStored { throw HandlerError(.notStored) }
            return nil
        }
        guard let mark = claim.mark else { return nil }
        removeEnded(at: now)
        (marks[id], ends[id]) = (mark, now)
        return nil
    }

    private mutating func removeEnded(at now: Date) {
        for (id, end) in ends {
            // The clock was set back since.
            if end > now { ends[id] = now }
            if now.timeIntervalSince(end) >= HandlerLimits.retention { remove(id) }
        }
    }

    func marks(of ids: [UUID]) -> [UUID: HandlerMark] {
        var found: [UUID: HandlerMark] = [:]
        for id in ids { found[id] = marks[id] }
        return found
    }

    /// Sets a mark that was read from storage.
    mutating func restore(_ mark: HandlerMark, of id: UUID, end: Date) {
        if isKnown(id) { (marks[id], ends[id]) = (mark, end) }
    }

    mutating func deferHandler(_ id: UUID, reason: String, call: Data?, now: Date) throws(HandlerError) {
        guard let record = records[id] else { throw HandlerError(.notStored) }
        var deferral = record.deferral ?? StoredHandler.Deferral(reason: reason, since: now, calls: [])
        deferral.reason = reason
        if let call {
            guard deferral.calls.count < HandlerLimits.deferredCalls else {
                throw HandlerError(.tooLarge(.deferredCalls, maximum: HandlerLimits.deferredCalls))
            }
            deferral.calls.append(StoredHandler.Call(number: (deferral.calls.last?.number ?? 0) + 1, data: call))
        }
        records[id]?.deferral = deferral
    }

    mutating func removeDeferredCall(_ number: Int64, of id: UUID) {
        records[id]?.deferral?.calls.removeAll { $0.number == number }
    }

    mutating func endDeferral(_ id: UUID) {
        if records[id]?.deferral?.calls.isEmpty == true { records[id]?.deferral = nil }
    }

    /// Whether this handler is stored or bound within a stored one.
    private func isKnown(_ id: UUID) -> Bool { records[id] != nil || references[id] != nil }

    /// Counts references down, and drops marks that no stored handler needs any more.
    private mutating func release(_ ids: [UUID]) {
        count(ids, by: -1)
        for id in ids { forgetMark(of: id) }
    }

    private mutating func forgetMark(of id: UUID) {
        if !isKnown(id) { (marks[id], ends[id]) = (nil, nil) }
    }

    private mutating func count(_ ids: [UUID], by change: Int) {
        for id in ids {
            let count = references[id, default: 0] + change
            references[id] = count == 0 ? nil : count
        }
    }
}
