// The source's second example: fetching OMEMO bundles (XEP-0384 0.3) with an instance handler.

import HandlerMacros
import StanzaQuery
import Testing

/// Keeps the keys of devices.
@Handlers
actor Omemo {
    private(set) var keys: [String: Int] = [:]
    private(set) var log: [String] = []

    /// A new handler for the answer to a request of a device's bundle.
    nonisolated func bundleHandler(device: String) throws -> Handler {
        try Omemo.$bundleFetched.handler(invalidation: Omemo.$bundleLost, binding: #named(device))
    }

    /// The PubSub framework calls it with the items by their identities, or with the error.
    @Handler(on: "account.omemo")
    func bundleFetched(
        account: Account, jid: String, success: Bool, errorIq: Element?, errorReason: String?,
        data: [String: Element]?, device: String
    ) throws {
        guard success else {
            let condition = try errorIq?.findFirst("error/{urn:ietf:params:xml:ns:xmpp-stanzas}!text$", as: String.self)
            log.append("no bundle of \(jid): \(condition ?? errorReason ?? "unknown")")
            return
        }
        // Some clients do not use <item id='current'>.
        guard let item = data?["current"] ?? (data?.count == 1 ? data?.values.first : nil) else {
            log.append("more than one bundle of \(jid)")
            return
        }
        let preKeys = try item.find(
            "{eu.siacs.conversations.axolotl}bundle/prekeys/preKeyPublic@preKeyId|int", as: Int.self)
        keys["\(jid)/\(device)"] = preKeys.count
    }

    @Handler(on: "account.omemo")
    func bundleLost(account: Account, device: String, reason: InvalidationReason, done: Bool?) {
        log.append("lost \(device): \(reason), \(done ?? false)")
    }
}

@Suite struct OmemoTests {
    private let dispatcher: HandlerDispatcher
    private let omemo = Omemo()
    private let account: Account

    init() throws {
        dispatcher = HandlerDispatcher(registry: try HandlerRegistry(Omemo.self))
        account = Account(omemo: omemo)
    }

    private func item(_ id: String) throws -> Element {
        try Element(
            parsing: """
                <item xmlns='http://jabber.org/protocol/pubsub' id='\(id)'><bundle xmlns='eu.siacs.conversations.axolotl'>\
                <signedPreKeyPublic signedPreKeyId='1'>a</signedPreKeyPublic><prekeys>\
                <preKeyPublic preKeyId='1'>b</preKeyPublic><preKeyPublic preKeyId='2'>c</preKeyPublic>\
                <preKeyPublic preKeyId='3'>d</preKeyPublic></prekeys></bundle></item>
                """)
    }

    /// The arguments of the framework. A handler gets only those that it declares.
    private func arguments(
        success: Bool = true, data: [String: Element]? = nil, error: Element? = nil, reason: String? = nil
    ) -> HandlerArguments {
        [
            "account": account, "jid": "romeo@example.net", "success": success, "data": data, "errorIq": error,
            "errorReason": reason, "node": "eu.siacs.conversations.axolotl.bundles:31415",
        ]
    }

    @Test func success() async throws {
        let handler = try omemo.bundleHandler(device: "31415")
        #expect(handler.description == "Omemo|bundleFetched<bundleLost>")
        let loaded = try dispatcher.load(from: dispatcher.data(of: handler))
        try await dispatcher.call(loaded, arguments(data: ["current": item("current")]))
        #expect(await omemo.keys == ["romeo@example.net/31415": 3])
    }

    @Test func otherIdentities() async throws {
        let handler = try omemo.bundleHandler(device: "31415")
        try await dispatcher.call(handler, arguments(data: ["0": item("0")]))
        try await dispatcher.call(handler, arguments(data: ["0": item("0"), "1": item("1")]))
        #expect(await omemo.keys == ["romeo@example.net/31415": 3])
        #expect(await omemo.log == ["more than one bundle of romeo@example.net"])
    }

    @Test func errors() async throws {
        let handler = try omemo.bundleHandler(device: "31415")
        let error = try Element(
            parsing: """
                <iq xmlns='jabber:client' type='error'><error type='cancel'>\
                <item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
                """)
        try await dispatcher.call(handler, arguments(success: false, error: error))
        try await dispatcher.call(handler, arguments(success: false, reason: "timeout"))
        #expect(
            await omemo.log == [
                "no bundle of romeo@example.net: item-not-found", "no bundle of romeo@example.net: timeout",
            ])
    }

    @Test func invalidation() async throws {
        let handler = try omemo.bundleHandler(device: "31415")
        try await dispatcher.invalidate(handler, because: .disconnected, ["account": account, "done": true])
        #expect(await omemo.log == ["lost 31415: disconnected, true"])
    }

    @Test func withoutInstance() async throws {
        let handler = try omemo.bundleHandler(device: "31415")
        var arguments = arguments()
        arguments.account = Account()
        await #expect(throws: HandlerError(.noInstance, handler: "Omemo|bundleFetched")) {
            try await dispatcher.call(handler, arguments)
        }
    }

    /// An argument of the framework replaces a bound argument of the same name.
    @Test func overwriting() async throws {
        let handler = try omemo.bundleHandler(device: "31415")
        var arguments = try arguments(data: ["current": item("current")])
        arguments.device = "27182"
        try await dispatcher.call(handler, arguments)
        #expect(await omemo.keys == ["romeo@example.net/27182": 3])
    }
}
