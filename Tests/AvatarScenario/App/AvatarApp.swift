// The app: requests the removal, or finds the request of an earlier process, and shows the outcome.
//
//     AvatarApp DATABASE            asks, and waits
//     AvatarApp DATABASE success    asks, gets this answer itself, and waits; or error

import AvatarScenario
import Foundation
import HandlerMacros
import Persistence
import Promises

@main
enum AvatarApp {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let database = try await StanzaDatabase.open(at: arguments[1])
        // From now on the app receives the account's stanzas. An extension that runs loses the session.
        let session = try database.openSession(RemoveAvatar.account, takingOver: true)
        defer { session.close() }
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise: Promise<String>
        if let earlier = try await promises.reattach(key: RemoveAvatar.key, as: String.self) {
            promise = earlier
            tell("reattached")
        } else {
            promise = try await promises.create(String.self, key: RemoveAvatar.key, timeout: .seconds(3600))
            let room = "coven@chat.shakespeare.lit"
            let handler = try RemoveAvatar.$answered.handler(binding: #named(promise, room))
            try await RemoveAvatar.handlers(in: database, promises).store(handler)
            tell("asked")
        }
        if arguments.count > 2 {
            let answer = try RemoveAvatar.answer(isError: arguments[2] == "error")
            _ = try await RemoveAvatar.receive(answer, in: database, promises)
        }
        do {
            tell("shown: \(try await promise.value)")
        } catch let rejection as PromiseRejection {
            tell("shown: error \(rejection.code)")
        }
    }
}
