// The two programs of the demonstration, as roles of this one: the app and its extension.

import ArgumentParser
import Foundation
import Handlers
import Persistence
import StreamManagement
import XMPPSession
import XMPPTransport

struct DemoRoleCommand: ReportingCommand {
    enum Role: String, ExpressibleByArgument {
        case app, `extension`
    }

    static let configuration = CommandConfiguration(
        commandName: "demo-role", abstract: "Play a part in a demonstration.", shouldDisplay: false)

    @Argument(help: "The part.")
    var role: Role

    @Argument(help: "The database.")
    var database: String

    @Argument(help: "The server's port.")
    var port: UInt16

    @Flag(help: "Publish an image, instead of removing it.")
    var image = false

    func run(_ report: @escaping @Sendable (String) throws -> Void) async throws {
        endWithDirector()
        let database = try await StanzaDatabase.open(at: database)
        let promises = try await PromiseCenter.start(store: database, role: role == .app ? .consumer : .resolver)
        let session = try await DurableSession(
            account: AvatarRequest.account, database: database, registry: try AvatarRequest.registry(),
            promises: promises, configuration: configuration, takingOver: true)
        await session.otherwise(.ignore)
        let player = DemoPlayer(session: session, promises: promises, connector: try connector(), report: report)
        switch role {
        case .app: try await player.playApp(publishing: image ? AvatarRequest.image : nil)
        case .extension: try await player.playExtension()
        }
    }

    /// The app goes to the background once the server has its request. The spectator should not wait for that.
    private var configuration: StreamManagementConfiguration {
        var configuration = StreamManagementConfiguration.durable
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: 1)
        return configuration
    }

    /// Ends this process when its parent process has ended, for whatever reason: standard input then has no other end.
    /// Otherwise the program would look for its server, and could find another program on its port.
    private func endWithDirector() {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || count < 0 && errno != EINTR { _exit(Answer.Status.failure.code) }
            }
        }
    }

    private func connector() throws -> XMPPConnector {
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(host: "127.0.0.1", port: port, security: .unencrypted)
        return try XMPPConnector(
            account: AvatarRequest.account, password: Password("secret"), configuration: configuration)
    }
}
