// The measured handlers: one such as most requests need, and one with much bound to it.

import Foundation
import Handlers
import Synchronization
import XMLTree

/// A handler and the arguments of its calls.
struct Subject {
    let name: String
    /// Makes a handler with everything bound that is bound at creation.
    let create: () throws -> Handler
    let given: HandlerArguments

    private static let counter = Atomic(0)

    /// How many calls arrived.
    static var calls: Int { counter.load(ordering: .relaxed) }

    static func all() throws -> [Subject] {
        let iq = try Element(stanza: "<iq type='result' id='a1'/>")
        let message = try Element(
            parsing: """
                <message xmlns='jabber:client' from='romeo@example.net/orchard' to='juliet@example.com' type='chat' id='m1'>\
                <body>Neither, fair saint, if either thee dislike.</body><active xmlns='http://jabber.org/protocol/chatstates'/>\
                <delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z'/></message>
                """)
        let given: HandlerArguments = ["account": Account(), "iq": iq]
        return [
            Subject(name: "small", create: { try small.handler { $0.device = 31_415 } }, given: given),
            Subject(
                name: "large",
                create: {
                    let then = try small.handler { $0.device = 31_415 }
                    return try large.handler(invalidation: small) {
                        $0.device = 31_415
                        $0.message = message
                        $0.resources = ["orchard": 1, "balcony": 2, "chamber": 3]
                        $0.items = ["current", "previous", "other"]
                        $0.since = .now
                        $0.then = then
                    }
                }, given: given),
        ]
    }

    struct SmallParameters {
        let account = HandlerParameter("account", Account.self)
        let iq = HandlerParameter("iq", Element.self)
        let device = HandlerParameter("device", Int.self)
    }

    static let small = HandlerFunction(SmallParameters()) {
        HandlerDefinition("Benchmark|small", $0.account, $0.iq, $0.device) { _, _, device in
            counter.add(device == 31_415 ? 1 : 0, ordering: .relaxed)
        }
    }

    struct LargeParameters {
        let account = HandlerParameter("account", Account.self)
        let iq = HandlerParameter("iq", Element.self)
        let device = HandlerParameter("device", Int.self)
        let message = HandlerParameter("message", Element.self)
        let resources = HandlerParameter("resources", [String: Int].self)
        let items = HandlerParameter("items", [String].self)
        let since = HandlerParameter("since", Date.self)
        let then = HandlerParameter("then", Handler?.self)
    }

    static let large = HandlerFunction(LargeParameters()) {
        HandlerDefinition(
            "Benchmark|large", $0.account, $0.iq, $0.device, $0.message, $0.resources, $0.items, $0.since, $0.then
        ) { _, _, device, _, resources, items, _, _ in
            counter.add(device == 31_415 && resources.count == items.count ? 1 : 0, ordering: .relaxed)
        }
    }
}

/// What only a running program has, and gives at the call.
final class Account: Sendable {}
