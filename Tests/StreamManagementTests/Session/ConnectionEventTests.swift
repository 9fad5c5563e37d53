// What the application is told of connections.

import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct ConnectionEventTests {
    private func word(_ event: SessionEvent) -> String {
        switch event {
        case .bound(let address): "bound as \(address ?? "nobody")"
        case .notOffered: "not offered"
        case .enabled: "enabled"
        case .notEnabled: "not enabled"
        case .resumed: "resumed"
        case .disconnected(let end): "disconnected: \(end)".prefix { $0 != "(" }.description
        case .notConnected(let failure):
            "not connected to \(failure.place?.host ?? "the domain")" + (failure.isFinal ? " for good" : "")
        default: "other"
        }
    }

    @Test("Lost connections, those that cannot be made, and bound resources are told") func story() async throws {
        let session = try await InlineResumptionTests.session()
        let connector = TestConnector(
            location: "near.example.org", failing: ["near.example.org"], errors: [.init(isFinal: false)])
        let events = await session.events()
        let run = Task { try await session.run(connecting: connector, policy: InlineResumptionTests.impatient) }
        var told: [String] = []
        for await event in events {
            told.append(word(event))
            if case .notConnected(let failure) = event {
                #expect(failure.error as? TestConnector.Failure == TestConnector.Failure(isFinal: false))
            }
            if case .enabled = event { try await connector.server(1).cut() }
            if told.count == 5 { break }
        }
        #expect(
            told == [
                "not connected to the domain", "bound as juliet@example.org/balcony", "enabled", "disconnected: lost",
                "not connected to near.example.org",
            ])
        await session.close()
        _ = try await run.value
    }

    @Test("An attempt that was the last one is told as such, and the run ends with its error")
    func last() async throws {
        let session = try await InlineResumptionTests.session()
        var events = await session.events().makeAsyncIterator()
        await #expect(throws: TestConnector.Failure(isFinal: true)) {
            try await session.run(
                connecting: TestConnector(errors: [.init(isFinal: true)]), policy: InlineResumptionTests.impatient)
        }
        let failure = ConnectionFailure(error: TestConnector.Failure(isFinal: true), isFinal: true)
        #expect(await events.next() == .notConnected(failure))
        await session.close()
        #expect(await events.next() == nil)
    }

    @Test("A server without stream management is told, and so is the end that it makes") func without() async throws {
        let session = try await InlineResumptionTests.session()
        let events = await session.events()
        let server = ScriptedTransport()
        let run = Task { try await session.run(on: server, features: StreamFeatures()) }
        var told: [String] = []
        for await event in events {
            told.append(word(event))
            if case .notOffered = event { server.say(nil as String?) }
            if case .disconnected = event { break }
        }
        #expect(
            told == ["bound as juliet@example.org/balcony", "not offered", "disconnected: closedByPeer"])
        #expect(try await run.value == .closedByPeer)
        await session.close()
    }

    /// It has to be closed from here, too, which takes as long as the line is slow.
    @Test("The end that the server makes is told before the connection is closed") func atOnce() async throws {
        let session = try await InlineResumptionTests.session(clock: ManualClock())
        let events = await session.events()
        let server = ScriptedTransport.server()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        try await eventually("enabled") { await session.state == .enabled }
        server.holdWrites(true)
        try await session.send(element("<message/>"))
        let told = Counter()
        let listening = Task {
            for await event in events {
                if case .disconnected(.closedByPeer) = event { told.next() }
            }
        }
        server.say(nil as String?)
        try await eventually("told") { told.value == 1 }
        #expect(!server.heard.contains("close"))
        server.holdWrites(false)
        #expect(try await run.value == .closedByPeer)
        await session.close()
        await listening.value
        #expect(told.value == 1)
    }

    @Test("What is ended from here is not told") func ownDoing() async throws {
        let session = try await InlineResumptionTests.session()
        let events = await session.events()
        for _ in 1...2 {
            let server = ScriptedTransport.server()
            let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
            try await eventually("online") { await session.state == .enabled }
            try await session.suspend()
            #expect(try await run.value == .suspended)
        }
        await session.close()
        var told: [String] = []
        for await event in events { told.append(word(event)) }
        #expect(told == ["bound as juliet@example.org/balcony", "enabled", "resumed"])
    }

    @Test("Ends are equal that say the same") func equality() {
        struct One: Error {}
        struct Other: Error {}
        let ends: [StreamEnd] = [
            .closed, .closedByPeer, .lost(One()), .lost(Other()), .abandoned(.acknowledgementMissing),
            .violation(.unsupported), .superseded, .suspended, .takenOver, .storageFailed(One()),
        ]
        for (index, one) in ends.enumerated() {
            for (place, other) in ends.enumerated() { #expect((one == other) == (index == place)) }
        }
    }
}
