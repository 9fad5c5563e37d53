// A server with a test's script, over a connection in memory.

import Foundation
import Locking
import Simulators
import StreamManagement
import TestSupport
import Testing
import XMLTree

/// A transport whose other side is the test.
///
/// Sendable without being checked: everything is read and written under the lock.
final class ScriptedTransport: StanzaTransport, Changing, @unchecked Sendable {
    let changes = Changes()
    private let lock = NSLock()
    private var parser = XMLStreamParser(mode: .stream)
    private var log: [String] = []
    private var incoming: [Result<Element?, RejectedStanza>] = []
    private var reader: CheckedContinuation<Element?, any Error>?
    private var isGone = false
    private var error: any Error = Gone()
    private var heldWrites = false
    private var heldAborts = false
    private var failsWrites = false
    private var failureCount = 0
    private var counted: ByteCounts?
    private(set) var address = "juliet@example.org/balcony"
    /// The server's answers to received elements.
    private let answers: @Sendable (String) -> [String]

    init(answering answers: @escaping @Sendable (String) -> [String] = { _ in [] }) {
        self.answers = answers
        parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
    }

    /// A server that enables stream management, resumes sessions with an `h`, and acknowledges nothing by itself.
    static func server(id: String = "s1", resumedWith h: Int? = 0) -> ScriptedTransport {
        ScriptedTransport { heard in
            if heard.hasPrefix("<enable ") { return ["<sm:enabled id='\(id)' resume='true' max='600'/>"] }
            if heard.hasPrefix("<resume ") {
                return [h.map { "<sm:resumed previd='\(id)' h='\($0)'/>" } ?? "<sm:failed/>"]
            }
            return []
        }
    }

    /// A server that enables stream management, and acknowledges everything when it is asked.
    static func acknowledgingWhenAsked() -> ScriptedTransport {
        let count = Lock(0)
        return ScriptedTransport { heard in
            if heard.hasPrefix("<enable ") { return ["<sm:enabled id='s1' resume='true' max='600'/>"] }
            if heard == "<r/>" { return ["<sm:a h='\(count.withLock(\.self))'/>"] }
            count.withLock { $0 += 1 }
            return []
        }
    }

    static let features = StreamFeatures(element("<stream:features><sm:sm/></stream:features>"))

    struct Gone: Error {}

    // MARK: The transport

    func receive() async throws -> Element? {
        defer { changes.note() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lock.withLock {
                    if !incoming.isEmpty {
                        continuation.resume(with: incoming.removeFirst().mapError { $0 })
                    } else if isGone || Task.isCancelled {
                        continuation.resume(throwing: error)
                    } else {
                        reader = continuation
                    }
                }
                changes.note()
            }
        } onCancel: {
            cut()
        }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await until { $0.lock.withLock { !heldWrites || isGone } }
        defer { changes.note() }
        try lock.withLock {
            if isGone { throw error }
            guard failsWrites else { return }
            failureCount += 1
            throw error
        }
        for text in try hear(bytes) {
            for answer in answers(text) { say(answer) }
        }
    }

    private func hear(_ bytes: [UInt8]) throws -> [String] {
        try lock.withLock {
            parser.feed(bytes)
            var heard: [String] = []
            while let event = try parser.next() {
                if case .element(let element, _) = event { heard.append(element.text) }
            }
            log += heard
            return heard
        }
    }

    func bind() async throws -> String {
        note("bind")
        return address
    }

    func close() async {
        note("close")
        cut()
    }

    func abort() async {
        note("abort")
        try? await until { $0.lock.withLock { !heldAborts } }
        cut()
    }

    var traffic: ByteCounts? { lock.withLock { counted } }

    private func note(_ line: String) {
        lock.withLock { log.append(line) }
        changes.note()
    }

    // MARK: The test's side

    /// The writes, bindings and closings so far.
    var heard: [String] { lock.withLock { log } }

    /// Elements that `receive()` has not returned yet.
    var unreadCount: Int { lock.withLock { incoming.count } }

    /// Whether the session has handled everything that the server has said, and waits for more.
    var isIdle: Bool { lock.withLock { reader != nil } }

    /// The server sends an element; `nil` closes the stream.
    func say(_ xml: String?) { push(.success(xml.map { StreamManagementTests.element($0) })) }

    func say(_ element: Element) { push(.success(element)) }

    /// The server sends a stanza beyond a limit.
    func say(_ stanza: RejectedStanza) { push(.failure(stanza)) }

    private func push(_ item: Result<Element?, RejectedStanza>) {
        lock.withLock {
            if let reader {
                self.reader = nil
                reader.resume(with: item.mapError { $0 })
            } else {
                incoming.append(item)
            }
        }
    }

    /// The connection breaks.
    func cut() {
        lock.withLock {
            isGone = true
            reader?.resume(throwing: error)
            reader = nil
        }
        changes.note()
    }

    /// The connection breaks, and ends a run of the session.
    func cut(ending run: Task<StreamEnd, any Error>) async throws {
        cut()
        _ = try await run.value
    }

    /// Sets the error of a broken connection.
    func breaks(with error: any Error) { lock.withLock { self.error = error } }

    /// Sets the traffic of the connection.
    func count(_ traffic: ByteCounts) { lock.withLock { counted = traffic } }

    /// Makes writing wait until the test continues it.
    func holdWrites(_ holds: Bool) {
        lock.withLock { heldWrites = holds }
        changes.note()
    }

    /// Writing fails from now on, and reading continues.
    func failWrites() { lock.withLock { failsWrites = true } }

    var failedWrites: Int { lock.withLock { failureCount } }

    /// Makes cutting wait until the test continues it.
    func holdAborts(_ holds: Bool) {
        lock.withLock { heldAborts = holds }
        changes.note()
    }
}
