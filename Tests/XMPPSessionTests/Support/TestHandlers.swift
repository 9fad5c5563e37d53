// The handlers of tests, and the objects that they share with a test.

import Handlers
import Locking
import Persistence
import TestSupport
import XMLTree

@testable import XMPPSession

/// The lines that handlers note, in order.
final class Journal: Sendable {
    private let lines = Watched<[String]>([])

    var all: [String] { lines.withLock(\.self) }

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// Waits for a line, unless the task is canceled.
    func wait(for line: String) async throws { try await lines.wait(for: "'\(line)'") { $0.contains(line) } }

    /// Waits for a number of lines.
    func wait(for count: Int) async throws { try await lines.wait(for: "\(count) lines") { $0.count >= count } }

    /// Waits for a line. The wait ignores cancellation and does not block a thread.
    func waitDeafly(for line: String) async { _ = await Task { try await wait(for: line) }.result }
}

/// Refers weakly to the session that a handler closes, because the session keeps the arguments of its handlers.
final class Closer: Sendable {
    private struct Known {
        weak var session: DurableSession?
    }

    private let known = Lock(Known())

    func set(_ session: DurableSession) { known.withLock { $0.session = session } }

    func close() async { await known.withLock { $0.session }?.close() }
}

/// The handler with which another handler makes a request.
final class Asker: Sendable {
    private let handler = Lock<Handler?>(nil)

    func set(_ handler: Handler?) { self.handler.withLock { $0 = handler } }

    func ask(in work: StanzaWork) async throws {
        guard let handler = handler.withLock(\.self) else { return }
        try await work.request(xml("<iq type='get' to='room@chat.example.org' id='again'/>"), handler: handler)
    }
}

extension Household {
    struct Failure: Error {}

    private static let journal = HandlerParameter("journal", Journal.self)
    private static let closer = HandlerParameter("closer", Closer.self)
    private static let asker = HandlerParameter("asker", Asker.self)
    private static let iq = HandlerParameter("iq", Element.self)
    private static let reason = HandlerParameter("reason", InvalidationReason.self)
    private static let promise = HandlerParameter("promise", Promise<String>?.self)
    private static let work = HandlerParameter("work", StanzaWork.self)

    static let handlers = [
        // Notes the answer, and fulfills the promise, if one is bound.
        HandlerDefinition("Test|answered", iq, journal, promise) { iq, journal, promise in
            journal.note("answered \(iq["type"] ?? "")")
            try await promise?.fulfill(iq["type"] ?? "")
        },
        HandlerDefinition("Test|ended", journal, reason, promise) { journal, reason, promise in
            journal.note("ended \(reason)")
            try await promise?.reject(PromiseRejection(code: reason.rawValue, message: "no answer"))
        },
        HandlerDefinition("Test|failing", journal) { journal in
            journal.note("failing")
            throw Failure()
        },
        // Closes its own session.
        HandlerDefinition("Test|closing", closer, journal) { closer, journal in
            await closer.close()
            journal.note("closed")
        },
        // Ignores cancellation.
        HandlerDefinition("Test|deaf", journal) { journal in
            journal.note("deaf")
            await journal.waitDeafly(for: "go on")
        },
        // An invalidation that waits until the journal has the line `go on`.
        HandlerDefinition("Test|held", journal, reason) { journal, reason in
            journal.note("held \(reason)")
            try await journal.wait(for: "go on")
        },
        // Can be called once.
        HandlerDefinition("Test|once", isSingleShot: true, journal, iq) { journal, iq in
            journal.note("once \(iq["type"] ?? "")")
        },
        // Makes another request, and notes a refusal. `askingInVain` fails instead.
        HandlerDefinition("Test|asking", isSingleShot: true, journal, asker, work) { journal, asker, work in
            do {
                try await asker.ask(in: work)
                journal.note("asked")
            } catch let error as HandlerError {
                journal.note("refused \(error.kind)")
            }
        },
        HandlerDefinition("Test|askingInVain", isSingleShot: true, journal, asker, work) { journal, asker, work in
            journal.note("asking")
            try await asker.ask(in: work)
        },
        // Rejects its promise and sends a message.
        HandlerDefinition("Test|sending", promise, work) { promise, work in
            try await promise?.reject(PromiseRejection(code: "over", message: "no answer"))
            try work.send(xml("<message/>"))
        },
    ]
}
