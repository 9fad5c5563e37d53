// Binding at creation and later, typed and by name. A handler binds values, not variables.

import Foundation
import Handlers
import Testing

/// Parameters of a function and of its invalidation function, as the macros generate them.
private struct SentParameters {
    let account = HandlerParameter("account", Account.self)
    let to = HandlerParameter("to", String.self)
    let attempt = HandlerParameter("attempt", Int?.self)
    let upload = HandlerParameter("upload", Upload?.self)
}

private struct LostParameters {
    let attempt = HandlerParameter("attempt", Int?.self)
    let done = HandlerParameter("done", Bool.self)
}

@Suite struct BindingTests {
    let calls = Calls()

    private func functions() -> (sent: HandlerFunction<SentParameters>, lost: HandlerFunction<LostParameters>) {
        return (
            HandlerFunction(SentParameters()) {
                HandlerDefinition("Mail|sent", $0.account, $0.to, $0.attempt, $0.upload) {
                    [calls] account, to, attempt, upload in
                    calls.add("sent by \(account.jid) to \(to), \(attempt ?? 0), \(upload?.file ?? "-")")
                }
            },
            HandlerFunction(LostParameters()) {
                HandlerDefinition("Mail|lost", $0.attempt, $0.done) { [calls] attempt, done in
                    calls.add("lost, \(attempt ?? 0), \(done)")
                }
            }
        )
    }

    @Test func typed() async throws {
        let (sent, _) = functions()
        let dispatcher = try HandlerDispatcher(sent.definition)
        let upload = Upload(file: "f", size: 1)
        let handler = try sent.handler {
            $0.to = "romeo@example.net"
            $0.attempt = 1
            $0.upload = upload
            #expect($0.to == "romeo@example.net")
            #expect($0.attempt == 1)
        }
        #expect(handler.name == "Mail|sent")
        #expect(handler.arguments.keys.sorted() == ["attempt", "to", "upload"])
        try await dispatcher.call(handler, ["account": Account()])
        #expect(calls.all == ["sent by juliet@example.net to romeo@example.net, 1, f"])
        #expect(handler.description == "Mail|sent" && String(reflecting: handler) == "Mail|sent \(handler.id)")
    }

    /// A handler can bind the parameters of both functions.
    @Test func typedWithInvalidation() async throws {
        let (sent, lost) = functions()
        let dispatcher = try HandlerDispatcher(sent.definition, lost.definition)
        let handler = try sent.handler(invalidation: lost) {
            $0.to = "romeo@example.net"
            $0.attempt = 2
            $0.done = false
            #expect($0.done == false)
        }
        #expect(handler.description == "Mail|sent<lost>")
        try await dispatcher.invalidate(handler, because: .timedOut, ["done": true])
        #expect(calls.all == ["lost, 2, true"])
    }

    /// Creation reports an argument that fits the function but not the invalidation function's parameter of that name.
    @Test func typedWithInvalidationOfOtherTypes() async throws {
        struct OtherParameters {
            let attempt = HandlerParameter("attempt", String.self)
        }
        let (sent, _) = functions()
        let other = HandlerFunction(OtherParameters()) { HandlerDefinition("Mail|other", $0.attempt) { _ in } }
        let error = await handlerError { _ = try sent.handler(invalidation: other) { $0.attempt = 1 } }
        #expect(
            error
                == HandlerError(
                    .wrongType(argument: "attempt", expected: "String", actual: "Int"), handler: "Mail|other"))
    }

    @Test func boundAgain() async throws {
        let (sent, _) = functions()
        let dispatcher = try HandlerDispatcher(sent.definition)
        let copy = try sent.handler { $0.to = "romeo@example.net" }
        let handler = try copy.binding(["to": "nurse@example.net", "attempt": 3])
        let third = try handler.binding(["attempt": nil])
        #expect(handler.id == copy.id)
        #expect(handler != copy)
        #expect(third.arguments == ["to": .string("nurse@example.net")])
        for handler in [handler, copy, third] { try await dispatcher.call(handler, ["account": Account()]) }
        #expect(
            calls.all == [
                "sent by juliet@example.net to nurse@example.net, 3, -",
                "sent by juliet@example.net to romeo@example.net, 0, -",
                "sent by juliet@example.net to nurse@example.net, 0, -",
            ])
    }

    @Test func notAfterInvalidation() async throws {
        let (sent, _) = functions()
        let dispatcher = try HandlerDispatcher(sent.definition)
        let handler = try sent.handler()
        try await dispatcher.invalidate(handler, because: .canceled)
        let error = await handlerError { _ = try handler.binding(["to": "nurse@example.net"]) }
        #expect(error == HandlerError(.alreadyInvalidated(.canceled), handler: "Mail|sent"))
    }

    /// Later changes of a bound value have no effect, even if it is an object.
    @Test func valuesAreBoundNotVariables() async throws {
        final class Draft: StorableObject, @unchecked Sendable {
            // Sendable: this test changes it in one task only.
            static let storedName = "Draft"
            var text = "first"
        }
        let dispatcher = try HandlerDispatcher(
            HandlerDefinition(
                "Test|draft", HandlerParameter("draft", Draft.self), HandlerParameter("number", Int.self)
            ) { [calls] draft, number in calls.add("\(draft.text) \(number)") })
        let draft = Draft()
        var number = 1
        let handler = try dispatcher.handler("Test|draft", binding: ["draft": draft, "number": number])
        draft.text = "second"
        number = 2
        try await dispatcher.call(handler)
        #expect(calls.all == ["first 1"])
        #expect(number == 2)
    }
}
