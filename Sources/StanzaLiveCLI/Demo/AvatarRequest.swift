// The common parts of the demonstration's programs: how they publish an avatar, and the effects of its answer.

import Foundation
import Handlers
import Persistence
import XMLTree
import XMPPSession

/// Publishes the avatar of a group chat, as vcard-temp (XEP-0153).
enum AvatarRequest {
    /// The localpart of the account.
    static let user = "hecate"
    static let account: JID = "hecate@localhost"
    static let room = "coven@rooms.localhost"
    /// The key that finds the promise again after the app was killed.
    static let key = "avatar-of-\(room)"
    /// A transparent pixel.
    static let image = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    /// The parameters of `answered`. The compiler checks the names of bound arguments by them, as the macro `@Handler`
    /// does: this program builds without macros.
    struct AnsweredParameters {
        let promise = HandlerParameter("promise", Promise<String>.self)
        let room = HandlerParameter("room", String.self)
        let iq = HandlerParameter("iq", Element.self)
    }

    /// The handler of the answer; any process that receives the answer calls it.
    static let answered = HandlerFunction(AnsweredParameters()) { parameters in
        HandlerDefinition(
            "Avatar|published", isSingleShot: true, parameters.promise, parameters.room, parameters.iq
        ) { promise, room, iq in
            if let error = StanzaError(iq) {
                let message = error.text ?? error.condition
                try await promise.reject(PromiseRejection(code: error.condition, message: message, stanza: iq))
            } else {
                try await promise.fulfill("\(room) has its new avatar")
            }
        }
    }

    struct EndedParameters {
        let promise = HandlerParameter("promise", Promise<String>.self)
        let reason = HandlerParameter("reason", InvalidationReason.self)
    }

    /// The handler for a request that gets no answer.
    static let ended = HandlerFunction(EndedParameters()) { parameters in
        HandlerDefinition("Avatar|notPublished", parameters.promise, parameters.reason) { promise, reason in
            _ = try await promise.reject(PromiseRejection(code: reason.rawValue, message: "no answer came"))
        }
    }

    static func registry() throws -> HandlerRegistry {
        try HandlerRegistry(handlers: [answered.definition, ended.definition])
    }

    /// Sends the request, and stores the handlers of its answer.
    ///
    /// - Parameter image: The new avatar; `nil` to remove it.
    /// - Returns: The `id` of the request, and its future outcome.
    static func publish(
        _ image: Data?, with session: DurableSession, _ promises: PromiseCenter
    ) async throws -> (id: String, promise: Promise<String>) {
        let iq = MutableElement(
            "iq", namespace: .uri("jabber:client"), attributes: ["type": "set", "to": room]
        ) {
            MutableElement("vCard", namespace: .uri("vcard-temp")) {
                if let image {
                    MutableElement("PHOTO") {
                        MutableElement("TYPE", text: "image/png")
                        MutableElement("BINVAL", text: image.base64EncodedString())
                    }
                }
            }
        }.freeze()
        return try await session.transaction { work in
            let promise = try await promises.create(String.self, key: key, timeout: .seconds(3600))
            let handler = try answered.handler(invalidation: ended) {
                $0.promise = promise
                $0.room = room
            }
            return (try await work.request(iq, handler: handler, timeout: .seconds(3600)), promise)
        }
    }
}
