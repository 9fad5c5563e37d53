// A later version of a program whose handlers HandlersTests stored: another executable, started again for each step.
//
//     HandlersSecondProcess FILE call|invalidate|replay|claim [ID]
//
// It prints a line for each event; the test reads them.

import Foundation
import Handlers
import Logging
import StanzaQuery

/// An object that only a running program has.
struct Account {
    let jid: String
}

/// The handler as this version has it: renamed, with other parameters than when it was stored.
let bundleFetched = HandlerDefinition(
    "Omemo|bundleFetched", formerly: ["Omemo|handleBundle"], version: 2,
    migrations: [1: { $0.rename("rid", to: "device") }], HandlerParameter("account", Account.self),
    HandlerParameter("device", Int.self), HandlerParameter("jid", String.self),
    HandlerParameter("items", [Element].self), HandlerParameter("then", Handler?.self)
) { account, device, jid, items, then in
    let keys = try items.flatMap { try $0.find("{eu.siacs.conversations.axolotl}bundle/prekeys/preKeyPublic@preKeyId") }
    print("bundle \(device) of \(jid) for \(account.jid): \(keys.count) keys, then \(then?.description ?? "nothing")")
}

let lost = HandlerDefinition(
    "Omemo|lost", HandlerParameter("rid", Int.self), HandlerParameter("why", InvalidationReason.self)
) { rid, why in
    print("lost \(rid): \(why)")
}

let once = HandlerDefinition("Test|once", isSingleShot: true) { print("once") }

let done = HandlerDefinition("Test|done") { print("done") }

/// Prints a thrown error.
func report(_ body: () async throws -> Void) async {
    do { try await body() } catch { print("error: \(error)") }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    print("usage: HandlersSecondProcess FILE call|invalidate|replay|claim [ID]")
    exit(2)
}
do {
    let dispatcher = HandlerDispatcher(
        registry: try HandlerRegistry(handlers: [bundleFetched, lost, once, done]),
        store: try FileHandlerStore(at: URL(filePath: arguments[1])),
        logger: Logger(label: "second") { _ in SwiftLogNoOpLogHandler() })
    let account = Account(jid: "juliet@example.net")
    let id = arguments.count > 3 ? UUID(uuidString: arguments[3]) : nil
    switch arguments[2] {
    case "call":
        for handler in try await dispatcher.loadAll().sorted(by: { $0.description < $1.description }) {
            await report { try await dispatcher.call(handler, ["account": account]) }
        }
        for deferred in try await dispatcher.deferred() {
            print("deferred \(deferred.description): \(deferred.reason)")
        }
    case "invalidate":
        for handler in try await dispatcher.loadAll().sorted(by: { $0.description < $1.description }) {
            await report { try await dispatcher.invalidate(handler, because: .disconnected) }
        }
    case "replay":
        for replay in try await dispatcher.replay(["account": account]) { print("replayed \(replay.calls.count)") }
    case "claim":
        if let id { await report { try await dispatcher.call(stored: id) } }
    default: print("unknown step \(arguments[2])")
    }
} catch {
    print("error: \(error)")
    exit(1)
}
