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

    private func print(_ item: Any) { journal.note("\(item)") }

    @Test(arguments: [false, true]) func aClientForAServer(isInUse: Bool) async throws {
        let (installation, secret, path) = (UUID(), "wherefore", folder.database)
        let other = isInUse ? try await Client(account: Household.account, path: path) : nil
        func start() async throws {
            let client: Client
            do {
                client = try await Client(account: "juliet@example.org", path: path)
            } catch StorageError.inUse {
                print("another process has the session")
                return
            }
            var configuration = XMPPConnectorConfiguration()
            configuration.userAgent = UserAgent(id: installation, software: "Balcony")
            configuration.mechanismStore = client.database
            let connector = try XMPPConnector(
                account: "juliet@example.org", password: Password(secret), configuration: configuration)
            print("\(connector.account) can connect")
            #expect(connector.account == client.session.account)
            #expect(connector.configuration.userAgent?.software == "Balcony")
        }
        try await start()
        withExtendedLifetime(other) {}
        #expect(journal.all == [isInUse ? "another process has the session" : "juliet@example.org can connect"])
    }

    @Test func runningUntilTheEnd() async throws {
        let client = try await Client(account: Household.account, path: folder.database)
        await client.session.stream.configure { $0 = .patient }
        let connector = server
        server.setDown(true)
        let listening = Task {
            for await event in await client.session.stream.events() {
                switch event {
                case .enabled, .resumed, .notOffered, .notEnabled: print("online")
                case .disconnected(let end): print("offline: \(end)")
                case .notConnected(let failure): print("trying again: \(failure)")
                default: break
                }
            }
        }
        let closing = Task { [server, journal] in
            try await eventually("an attempt has failed") { !journal.all.isEmpty }
            server.setDown(false)
            try await eventually("the session is online") { journal.all.contains("online") }
            await client.session.close(waiting: .seconds(2))
            print(try await client.database.read { try $0.sessions.accounts() })
        }
        do {
            switch try await client.run(connecting: connector) {
            case .closed, .suspended: print("over, as we wanted")
            case .takenOver: print("another process has the session now")
            case .storageFailed(let error): print("the database cannot be used: \(error)")
            default: print("over")
            }
        } catch let error as XMPPConnectionError where error.isFinal {
            print("see to the account's settings: \(error)")
        } catch StorageError.inUse {
            print("another process has the session")
        }

        try await closing.value
        await listening.value
        // The app closed the session itself, so no event reports the end.
        #expect(Set(journal.all.dropLast(3)) == ["trying again: the connection was lost"])
        #expect(journal.all.suffix(3).first == "online")
        #expect(Set(journal.all.suffix(2)) == ["[]", "over, as we wanted"])
        await #expect(throws: StreamManagementError.ended) { try await client.run(connecting: server) }
    }
}
