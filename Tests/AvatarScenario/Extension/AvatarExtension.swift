// The app extension: receives the answer while the app is away.
//
//     AvatarExtension DATABASE success|error    receives this answer
//     AvatarExtension DATABASE serve            waits for answers, until the app is active again

import AvatarScenario
import Foundation
import Persistence
import Promises
import StreamManagement

@main
enum AvatarExtension {
    static func main() async throws {
        let database = try await StanzaDatabase.open(at: CommandLine.arguments[1])
        let session = try database.openSession(RemoveAvatar.account, takingOver: true)
        defer { session.close() }
        if CommandLine.arguments[2] == "serve" { return try await serve(database, session) }
        let promises = try await PromiseCenter.start(store: database, role: .resolver)
        let answer = try RemoveAvatar.answer(isError: CommandLine.arguments[2] == "error")
        tell("handled: \(try await RemoveAvatar.receive(answer, in: database, promises))")
    }

    /// After each change, it first checks whether it still owns the account's session.
    private static func serve(_ database: StanzaDatabase, _ session: DatabaseSession) async throws {
        let changes = database.changes()
        tell("serving")
        do {
            _ = try session.load()
            for await _ in changes { _ = try session.load() }
        } catch StorageError.takenOver {
            tell("gave way")
        }
    }
}
