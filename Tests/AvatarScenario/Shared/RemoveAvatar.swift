// The common part of the app and its extension: the handler of the answer to "remove the avatar of this room".

import Foundation
import HandlerMacros
import Persistence
import Promises
import XMLTree
public import XMPPCore

/// The request of the scenario.
@Handlers
public enum RemoveAvatar {
    /// Finds the promise again when the app was killed.
    public static let key = "remove-avatar-of-coven@chat.shakespeare.lit"

    /// The account that both programs act for, one at a time.
    public static let account: JID = "hecate@shakespeare.lit"

    /// The process that receives the answer calls this function.
    @Handler(singleShot: true)
    public static func answered(promise: Promise<String>, room: String, iq: Element, work: DatabaseWork) throws {
        if iq["type"] == "error" {
            let condition = iq.children.first { $0.name == "error" }?.children.first?.name ?? "undefined-condition"
            try promise.reject(PromiseRejection(code: condition, message: "no", stanza: iq), in: work)
        } else {
            try promise.fulfill("\(room) has no avatar now", in: work)
        }
    }

    /// The handlers of both programs. Each call gets the promises, and `work` of its transaction.
    public static func handlers(
        in database: StanzaDatabase, _ promises: PromiseCenter
    ) throws -> HandlerDispatcher {
        HandlerDispatcher(
            registry: try HandlerRegistry(RemoveAvatar.self), store: database, arguments: ["promises": promises])
    }

    /// Calls all waiting handlers with an answer. Returns their number.
    public static func receive(
        _ iq: Element, in database: StanzaDatabase, _ promises: PromiseCenter
    ) async throws -> Int {
        let handlers = try handlers(in: database, promises)
        let waiting = try await database.handlers()
        for handler in waiting {
            try await database.collect { work in
                let delivery = try await handlers.using(work).call(stored: handler.id, ["iq": iq])
                // With the outcome goes the request: nothing is answered twice.
                if delivery == .called { try work.add { try $0.handlers.remove(handler.id) } }
            }
        }
        return waiting.count
    }

    /// An answer of the server.
    public static func answer(isError: Bool) throws -> Element {
        try Element(
            parsing: isError
                ? "<iq xmlns='jabber:client' type='error'><error type='auth'>"
                    + "<forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
                : "<iq xmlns='jabber:client' type='result'/>")
    }
}

/// Writes a line without a buffer, because the test waits for each line.
public func report(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
