// The handlers of answers, and of requests that end without one. They store the outcome in the transaction of its
// cause.

import GRDB
import Handlers
import Persistence
import XMLTree
import XMPPSession

enum ProbeHandlers {
    static let all = [answered, ended]

    private static let answered = HandlerDefinition(
        "Probe|answered", isSingleShot: true, HandlerParameter("request", String.self),
        HandlerParameter("promise", Promise<String>?.self), HandlerParameter("iq", Element.self),
        HandlerParameter("log", ProbeLog.self), HandlerParameter("watch", AnswerWatch.self),
        HandlerParameter("changes", DatabaseWork.self)
    ) { request, promise, iq, log, watch, changes in
        watch.begin()
        try store(StanzaError(iq) == nil ? "result" : "error", of: request, promise, log, in: changes)
    }

    private static let ended = HandlerDefinition(
        "Probe|ended", HandlerParameter("request", String.self), HandlerParameter("promise", Promise<String>?.self),
        HandlerParameter("reason", InvalidationReason.self), HandlerParameter("log", ProbeLog.self),
        HandlerParameter("changes", DatabaseWork.self)
    ) { request, promise, reason, log, changes in
        try store(reason.rawValue, of: request, promise, log, in: changes)
    }

    private static func store(
        _ outcome: String, of request: String, _ promise: Promise<String>?, _ log: ProbeLog, in changes: DatabaseWork
    ) throws {
        try changes.add { transaction in
            try transaction.db.execute(
                sql: "INSERT INTO outcome (request, outcome) VALUES (?, ?)", arguments: [request, outcome])
            guard let promise else { return }
            let resolution = try promise.fulfill(outcome, in: transaction.promises)
            if resolution != .resolved { log.note("violation", "promise-\(resolution)", request) }
        }
    }
}
