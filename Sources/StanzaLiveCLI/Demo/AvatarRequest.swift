// The common parts of the demonstration's programs: how they publish an avatar, and the effects of its answer.

import Foundation
import Handlers
import Persistence
import Promises
import XMLTree
import XMPPSession

/// Publishes the avatar of a group chat, as vcard-temp (XEP-0153).
enum AvatarRequest {
    static let user = "hecate"
    static let host = "localhost"
    static let account = "\(user)@\(host)"
    static let room = "coven@rooms.localhost"
    /// The key that finds the promise again after the app was killed.
    static let key = "avatar-of-\(room)"
    /// A transparent pixel.
    static let image = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    /// The handler of the answer; any process that receives the answer calls it.
    static let answered = HandlerDefinition(
        "Avatar|published", isSingleShot: true, HandlerParameter("promise", Promise<String>.self),
        HandlerParameter("room", String.self), HandlerParameter("iq", Element.self),
        HandlerParameter("work", DatabaseWork.self)
    ) { promise, room, iq, work in
        if let error = StanzaError(iq) {
            try promise.reject(
                PromiseRejection(code: error.condition, message: error.text ?? error.condition, stanza: iq), in: work)
        } else {
            try promise.fulfil("\(room) has its new avatar", in: work)
        }
    }

    /// The handler for a request that gets no answer.
    static let ended = HandlerDefinition(
        "Avatar|notPublished", HandlerParameter("promise", Promise<String>.self),
        HandlerParameter("reason", InvalidationReason.self), HandlerParameter("work", DatabaseWork.self)
    ) { promise, reason, work in
        try promise.reject(PromiseRejection(code: reason.rawValue, message: "there was no answer"), in: work)
    }

    static func registry() throws -> HandlerRegistry { try HandlerRegistry(handlers: [answered, ended]) }

    /// Sends the request, and stores the handlers of its answer.
    ///
    /// - Parameter image: The new avatar; `nil` to remove it.
    /// - Returns: The `id` of the request, and its future outcome.
    static func publish(
        _ image: Data?, with session: DurableSession, _ promises: PromiseCentre
    ) async throws -> (id: String, promise: Promise<String>) {
        let iq = try MutableElement(
            "iq", namespace: .uri("jabber:client"), attributes: ["type": "set", "to": room]
        ) {
            try MutableElement("vCard", namespace: .uri("vcard-temp")) {
                if let image {
                    try MutableElement("PHOTO") {
                        try MutableElement("TYPE", text: "image/png")
                        try MutableElement("BINVAL", text: image.base64EncodedString())
                    }
                }
            }
        }.freeze()
        return try await session.together { work in
            let promise = try promises.create(String.self, key: key, timeout: .seconds(3600), in: work.database)
            let handler = try answered.handler(invalidation: ended, binding: ["promise": promise, "room": room])
            return (try await work.request(iq, handler: handler, timeout: .seconds(3600)), promise)
        }
    }
}
