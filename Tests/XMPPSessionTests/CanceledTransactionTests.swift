// Transactions of the application whose task is canceled while they wait for room.

import Persistence
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct CanceledTransactionTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    /// The queue is full when the transaction has collected its changes, so that it waits in the core.
    @Test("D23 A canceled transaction that waits for room ends at once, and changes nothing")
    func canceled() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnacknowledged = 2
        let home = try await Household(folder, configuration: configuration)
        let session = home.session
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            server.setAcknowledging(false)
            try await session.send(xml("<message id='a'/>"))
            let work = StanzaWork(session.database.beginWork(), in: session.workContext)
            for id in ["b", "c"] { try work.send(xml("<message id='\(id)'/>")) }
            let storing = Task { try await session.store(work) }
            try await eventually("it waits for room") { await session.stream.waitingSenderCount == 1 }
            storing.cancel()
            #expect(try await storing.value == false)
            await work.database.end(isCommitted: false)
            #expect(await session.stream.waitingSenderCount == 0)
            #expect(await session.stream.unacknowledged.map(\.id) == ["a"])
            // The same for the caller.
            try await session.send(xml("<message id='d'/>"))
            let sending = Task { try await session.transaction { try $0.send(xml("<message id='e'/>")) } }
            try await eventually("it waits for room") { await session.stream.waitingSenderCount == 1 }
            sending.cancel()
            await #expect(throws: CancellationError.self) { try await sending.value }
            server.setAcknowledging(true)
            server.cut()
            try await eventually("the others are sent") { await session.stream.unacknowledged.isEmpty }
            #expect(Set(server.stanzas.compactMap { $0["id"] }) == ["a", "d"])
        }
    }
}
