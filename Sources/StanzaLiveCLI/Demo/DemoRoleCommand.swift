// The two programs of the demonstration, as roles of this one: the app and its extension.

import ArgumentParser
import Foundation
import Persistence
import Promises
import StreamManagement
import XMPPSession
import XMPPTransport

struct DemoRoleCommand: TellingCommand {
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

    func run(_ tell: @escaping @Sendable (String) -> Void) async throws {
        let database = try await StanzaDatabase.open(at: database)
        let promises = try await PromiseCentre.start(store: database, role: role == .app ? .consumer : .resolver)
        let session = try await DurableSession(
            account: AvatarRequest.account, database: database, registry: try AvatarRequest.registry(),
            promises: promises, takingOver: true)
        let player = DemoPlayer(session: session, promises: promises, connector: try connector(), tell: tell)
        switch role {
        case .app: try await player.playApp(publishing: image ? AvatarRequest.image : nil)
        case .extension: try await player.playExtension()
        }
    }

    private func connector() throws -> XMPPConnector {
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(host: "127.0.0.1", port: port, security: .unencrypted)
        return try XMPPConnector(
            account: AvatarRequest.account, password: Password("secret"), configuration: configuration)
    }
}
