// The app extension: receives the answer while the app is away.
//
//     AvatarExtension DATABASE success|error

import AvatarScenario
import Foundation
import Persistence
import Promises

@main
enum AvatarExtension {
    static func main() async throws {
        let database = try await StanzaDatabase.open(at: CommandLine.arguments[1])
        let promises = try await PromiseCentre.start(store: database, role: .resolver)
        let answer = try RemoveAvatar.answer(isError: CommandLine.arguments[2] == "error")
        tell("handled: \(try await RemoveAvatar.receive(answer, in: database, promises))")
    }
}
