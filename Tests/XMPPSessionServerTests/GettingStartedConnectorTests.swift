// The connector of the article GettingStarted and its errors, word for word.

import Foundation
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMPPSession
import XMPPTransport

@testable import XMPPSessionTests

@Suite(.fewAtOnce) struct GettingStartedConnectorTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()
    private let journal = Journal()

    init() throws { folder = try TemporaryFolder() }

    private func show(_ text: String) { journal.note(text) }

    @Test(arguments: [false, true]) func aClientForAServer(isInUse: Bool) async throws {
        let (installation, secret, path) = (UUID(), "wherefore", folder.database)
        let other = isInUse ? try await Client(account: Household.account, path: path) : nil
        func start() async throws {
            let client: Client
            do {
                client = try await Client(account: "juliet@example.org", path: path)
            } catch StorageError.inUse {
                show("another process has the session")
                return
            }
            var configuration = XMPPConnectorConfiguration()
            configuration.userAgent = UserAgent(id: installation, software: "Balcony")
            configuration.mechanismStore = client.database
            let connector = try XMPPConnector(
                account: "juliet@example.org", password: Password(secret), configuration: configuration)
            #expect(!isInUse)
            #expect(connector.account == client.session.account)
            #expect(connector.configuration.userAgent?.software == "Balcony")
        }
        try await start()
        withExtendedLifetime(other) {}
        #expect(journal.all == (isInUse ? ["another process has the session"] : []))
    }

    @Test func runningUntilTheEnd() async throws {
        let client = try await Client(account: Household.account, path: folder.database)
        await client.session.stream.configure { $0 = .patient }
        let connector = server
        server.setDown(true)
        let listening = Task {
            for await event in await client.session.stream.events() {
                switch event {
                case .enabled, .resumed, .notOffered, .notEnabled: show("online")
                case .disconnected(let end): show("offline: \(end)")
                case .notConnected(let failure): show("no connection: \(failure)")
                default: break
                }
            }
        }
        let closing = Task { [server, journal] in
            try await eventually("an attempt has failed") { !journal.all.isEmpty }
            server.setDown(false)
            try await eventually("the session is online") { journal.all.contains("online") }
            await client.session.close(waiting: .seconds(2))
        }
        do {
            switch try await client.run(connecting: connector) {
            case .closed, .suspended: show("over, as we wanted")
            case .takenOver: show("another process has the session now")
            case .storageFailed(let error): show("the database cannot be used: \(error)")
            default: show("over")
            }
        } catch let error as XMPPConnectionError where error.isFinal {
            show("see to the account's settings: \(error)")
        } catch StorageError.inUse {
            show("another process has the session")
        }

        try await closing.value
        await listening.value
        // The app closed the session itself, so no event reports the end.
        #expect(Set(journal.all.dropLast(2)) == ["no connection: Gone()"])
        #expect(journal.all.suffix(2) == ["online", "over, as we wanted"])
        await #expect(throws: StreamManagementError.ended) { try await client.run(connecting: server) }
    }
}
