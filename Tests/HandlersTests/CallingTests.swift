// Parameters by name, mandatory and optional, and the arguments of a call.

import Foundation
import Handlers
import Testing
import XMLTree

@Suite struct CallingTests {
    let calls = Calls()

    private func dispatcher() throws -> HandlerDispatcher {
        try HandlerDispatcher(
            HandlerDefinition(
                "Test|greet", HandlerParameter("account", Account.self), HandlerParameter("success", Bool.self),
                HandlerParameter("number", Int?.self), HandlerParameter("error", Element?.self)
            ) { [calls] account, success, number, error in
                calls.add("\(account.jid) \(success) \(number.map(String.init) ?? "-") \(error?.name ?? "-")")
            })
    }

    @Test func mandatoryArgumentsMayNot() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|greet", binding: ["success": true])
        let error = await handlerError { try await dispatcher.call(handler) }
        #expect(error == HandlerError(.missingArgument("account", expected: "Account"), handler: "Test|greet"))
        #expect(
            error?.description
                == "handler 'Test|greet': the argument 'account' (Account) is missing: bind it at creation, give it at the call, or declare the parameter optional"
        )
        #expect(calls.count == 0)
    }

    @Test func theCallWins() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|greet", binding: ["number": 5, "success": true])
        try await dispatcher.call(handler, ["account": Account(), "number": 6, "undeclared": 5])
        try await dispatcher.call(handler, ["account": Account(), "number": nil])
        let nothing: Int? = nil
        try await dispatcher.call(handler, ["account": Account(), "number": nothing])
        try await dispatcher.call(handler, ["account": Account()])
        #expect(
            calls.all == [
                "juliet@example.net true 6 -", "juliet@example.net true - -", "juliet@example.net true - -",
                "juliet@example.net true 5 -",
            ])
    }

    @Test func wrongTypes() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|greet", binding: ["success": true])
        func kind(_ arguments: HandlerArguments) async -> HandlerError.Kind? {
            await handlerError { try await dispatcher.call(handler, arguments) }?.kind
        }
        #expect(await kind(["account": "x"]) == .wrongType(argument: "account", expected: "Account", actual: "String"))
        for (number, actual) in [("five" as any Sendable, "String"), (UInt(5), "UInt")] {
            #expect(
                await kind(["account": Account(), "number": number])
                    == .wrongType(argument: "number", expected: "Int", actual: actual))
        }
        let error = await handlerError { _ = try dispatcher.handler("Test|greet", binding: ["number": "five"]) }
        #expect(error?.kind == .wrongType(argument: "number", expected: "Int", actual: "String"))
        #expect(calls.count == 0)
    }

    @Test func boundArgumentsMustBeStorable() async throws {
        let dispatcher = try dispatcher()
        let error = await handlerError { _ = try dispatcher.handler("Test|greet", binding: ["account": Account()]) }
        #expect(error?.kind == .notStorable(argument: "account", type: "Account"))
        let other = await handlerError { _ = try dispatcher.handler("Test|greet", binding: ["account": "juliet"]) }
        #expect(other?.kind == .notStorable(argument: "account", type: "Account"))
    }

    @Test func unknownHandlers() async throws {
        let dispatcher = try dispatcher()
        var error = await handlerError { _ = try dispatcher.handler("Test|gone") }
        #expect(error == HandlerError(.unknownHandler, handler: "Test|gone"))
        error = await handlerError { _ = try dispatcher.handler("Test|greet", invalidation: "Test|gone") }
        #expect(error == HandlerError(.unknownHandler, handler: "Test|gone"))
        error = await handlerError { _ = try dispatcher.handler("gone") }
        #expect(error?.description == "handler '|gone': this is not a handler's name: expected 'Type|function'")
        let other = try HandlerDispatcher(HandlerDefinition("Test|gone") {})
        error = await handlerError { try await dispatcher.call(other.handler("Test|gone")) }
        #expect(error == HandlerError(.unknownHandler, handler: "Test|gone"))
    }

    @Test func resultsAndErrorsOfTheFunctionPassUnchanged() async throws {
        struct Refused: Error, Equatable { let code: Int }
        let dispatcher = try HandlerDispatcher(
            HandlerDefinition("Test|throw") { throw Refused(code: 7) }, HandlerDefinition("Test|nothing") {},
            HandlerDefinition("Test|double", HandlerParameter("number", Int.self)) { number in
                await Task.yield()
                return number * 2
            })
        await #expect(throws: Refused(code: 7)) { try await dispatcher.call(dispatcher.handler("Test|throw")) }
        let handler = try dispatcher.handler("Test|double", invalidation: "Test|double", binding: ["number": 4])
        #expect(try await dispatcher.call(handler) as? Int == 8)
        #expect(try await dispatcher.call(stored: dispatcher.data(of: handler), ["number": 5]) as? Int == 10)
        #expect(try await dispatcher.invalidate(handler, because: .canceled) as? Int == 8)
        #expect(try await dispatcher.call(dispatcher.handler("Test|nothing")) is Void)
    }

    /// A stored value, an object, and a value of a type with a raw value.
    @Test func valuesInEveryForm() async throws {
        enum Kind: String, Storable { case direct, group }
        let dispatcher = try HandlerDispatcher(
            HandlerDefinition(
                "Test|kinds", HandlerParameter("kind", Kind.self), HandlerParameter("upload", Upload?.self),
                HandlerParameter("many", [String: [Int]].self), HandlerParameter("any", (any Error)?.self)
            ) { [calls] kind, upload, many, any in
                calls.add("\(kind) \(upload?.file ?? "-") \(many["a"] ?? []) \(any == nil)")
            })
        let handler = try dispatcher.handler(
            "Test|kinds", binding: ["kind": Kind.group, "upload": Upload(file: "f", size: 1), "many": ["a": [1, 2]]])
        try await dispatcher.call(handler)
        try await dispatcher.call(handler, ["kind": Kind.direct, "any": CancellationError()])
        try await dispatcher.call(handler, ["kind": StoredValue.string("direct"), "many": [String: [Int]]()])
        #expect(calls.all == ["group f [1, 2] true", "direct f [1, 2] false", "direct f [] true"])
    }

    /// A type that stores only an identity finds its object among the arguments of the call, as promises do.
    @Test func valuesThatNeedTheCall() async throws {
        struct Contact: Storable {
            static let storableType = StorableType.string
            let jid: String

            func storedValue() -> StoredValue { .string("") }

            init(jid: String) { self.jid = jid }

            init(storedValue: StoredValue) throws { throw StorableMismatch(expected: "an account", actual: "none") }

            init(storedValue: StoredValue, given: HandlerArguments) throws {
                guard let account = given.only(Account.self) else { throw CancellationError() }
                jid = account.jid
            }
        }
        let dispatcher = try HandlerDispatcher(
            HandlerDefinition("Test|contacts", HandlerParameter("contacts", [Contact].self)) { $0[0].jid })
        let account = Account()
        let handler = try dispatcher.handler("Test|contacts", binding: ["contacts": [Contact(jid: "")]])
        #expect(try await dispatcher.call(handler, ["account": account]) as? String == account.jid)
        let error = await handlerError { try await dispatcher.call(handler, ["account": account, "other": account]) }
        #expect(error?.kind == .codingFailed(argument: "contacts", type: "[String]", reason: "CancellationError"))
    }
}
