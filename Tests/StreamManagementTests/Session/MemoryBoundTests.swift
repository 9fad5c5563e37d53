// The memory that the bounds of a session allow, measured: it fits an app extension.

#if os(Linux)
import Foundation
import Locking
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite(.fewAtOnce) struct MemoryBoundTests {
    /// A process of its own, in which nothing else takes memory. The session reaches all bounds at once. Senders wait
    /// at a full queue. The session awaits an answer, and has read as many unhandled stanzas as it may. A stanza of the
    /// largest size is on its way. There are as many stanzas, and as many bytes, as the defaults allow.
    @Test("With all bounds reached, a session takes less than an app extension may")
    func everythingIsFull() async {
        await #expect(processExitsWith: .success) {
            let transport = Flood()
            let session = try await StreamSession(
                account: "juliet@example.org", storage: MemoryStorage(), handling: .whenConsumed, clock: ManualClock())
            let delegate = Waiting()
            await session.setDelegate(delegate)
            let run = Task { try await session.run(on: transport, features: ScriptedTransport.features) }
            try await session.until { $0.state == .enabled }
            let before = try #require(residentBytes())
            let body = String(repeating: "x", count: 4000)
            let senders = Task {
                for number in 1...1100 {
                    try await session.send(element("<message id='m\(number)'><body>\(body)</body></message>"))
                }
            }
            try await session.until { $0.unacknowledged.count == 1000 }
            transport.begin()
            try await session.until { $0.isInputHeldUp }
            let after = try #require(residentBytes())
            let (sent, received) = (await session.unacknowledged.count, transport.deliveredCount)
            print("unacknowledged \(sent), received \(received), \((after - before) >> 10) KiB")
            // Otherwise this measures less than the worst case.
            try #require(sent == 1000 && received > 31_000)
            try #require(after - before < 24_000_000)
            senders.cancel()
            run.cancel()
            _ = await run.result
            withExtendedLifetime(delegate) {}
        }
    }
}

private final class Waiting: StreamSessionDelegate {
    func sessionAwaitsAnswer(_ session: StreamSession) -> Bool { true }
}

/// A server that enables stream management, acknowledges nothing, and sends small messages without an end. Beside them
/// is a parser with most of the largest stanza.
private final class Flood: StanzaTransport {
    private struct State: ~Copyable {
        var parser = XMLStreamParser(mode: .stream)
        var largeParser = XMLStreamParser(mode: .stream)
        var deliveredCount = 0
        var isOpen = false
        var isEnabled = false

        mutating func begin() {
            isOpen = true
            largeParser.feed(Flood.header + "<message>")
            for _ in 1..<ParserLimits.stanzaElements { largeParser.feed("<a>12345678</a>") }
        }

        mutating func next() throws -> Element? {
            if !isEnabled {
                isEnabled = true
                parser.feed(Flood.header)
                return element("<sm:enabled id='s1' resume='true'/>")
            }
            guard isOpen else { return nil }
            deliveredCount += 1
            parser.feed(
                "<message from='room@chat.example.org/juliet' id='\(deliveredCount)'><body>\(Flood.text)</body></message>"
            )
            while let event = try parser.next() {
                if case .element(let element, _) = event { return element }
            }
            return nil
        }
    }

    private static let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
    private static let text = String(repeating: "x", count: 110)

    private let state = Lock(State())

    var deliveredCount: Int { state.withLock { $0.deliveredCount } }

    func begin() { state.withLock { $0.begin() } }

    func receive() async throws -> Element? {
        while true {
            try Task.checkCancellation()
            if let next = try state.withLock({ try $0.next() }) { return next }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    func send(_ bytes: [UInt8]) async throws {}
    func bind() async throws -> String { "juliet@example.org/balcony" }
    func close() async {}
    func abort() async {}
}
#endif
