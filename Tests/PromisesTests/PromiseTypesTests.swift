// Stored values: only registered types can be stored, and migrations upgrade old versions.

import Foundation
import Promises
import Testing

@testable import Promises

private struct Avatar: Codable, Equatable {
    var hash: String
    var size: Int
}

private struct Other: Codable {}

private enum Oops: Error { case plain, withSecret(String) }

struct PromiseTypesTests {
    @Test func simpleTypesAreThere() throws {
        let types = PromiseTypes()
        let payload = try types.payload(of: 42)
        #expect(payload == PromisePayload(type: "Int", version: 1, bytes: Data("42".utf8)))
        #expect(try types.value(of: payload, as: Int.self) == 42)
        #expect(try types.value(of: types.payload(of: Nothing()), as: Nothing.self) == Nothing())
    }

    @Test func listsAndTheLikeNeedNoRegistration() throws {
        var types = PromiseTypes()
        func check<Value: Codable & Sendable & Equatable>(_ value: Value, _ name: String) throws {
            let payload = try types.payload(of: value)
            #expect(payload.type == name && payload.version == 1)
            #expect(try types.value(of: payload, as: Value.self) == value)
        }
        try check(["a", "b"], "[String]")
        try check([[1], []], "[[Int]]")
        try check(["a": 1], "[String: Int]")
        try check(Int?.none, "Int?")
        try check(["a": [Date?.none]], "[String: [Date?]]")
        #expect(throws: PromiseError.unregisteredType("Avatar")) { try types.payload(of: [Avatar]()) }
        #expect(throws: PromiseError.self) { try types.payload(of: [1: "a"]) }
        try types.register(Avatar.self, as: "Avatar")
        try check([Avatar(hash: "a", size: 1)], "[Avatar]")
        try check(Avatar?(Avatar(hash: "a", size: 1)), "Avatar?")
        // An array of a type that has migrations needs its own registration.
        try types.register(Other.self, as: "Other", version: 2, migrations: [1: { $0 }])
        #expect(throws: PromiseError.self) { try types.payload(of: [Other()]) }
        try types.register([Other].self, as: "Others")
        #expect(try types.payload(of: [Other()]).type == "Others")
    }

    @Test func unregisteredTypesAreRefused() {
        #expect(throws: PromiseError.unregisteredType("Avatar")) {
            try PromiseTypes().payload(of: Avatar(hash: "", size: 0))
        }
    }

    @Test func migrationsLeadFromEachVersionToThisOne() throws {
        var types = PromiseTypes()
        try types.register(
            Avatar.self, as: "Avatar", version: 3,
            migrations: [
                1: { _ in Data(#"{"hash": "two"}"#.utf8) },
                2: { old in
                    let hash = try JSONDecoder().decode([String: String].self, from: old)["hash"] ?? ""
                    return try JSONEncoder().encode(Avatar(hash: hash, size: 7))
                },
            ])
        let first = PromisePayload(type: "Avatar", version: 1, bytes: Data("1".utf8))
        #expect(try types.value(of: first, as: Avatar.self) == Avatar(hash: "two", size: 7))
        let second = PromisePayload(type: "Avatar", version: 2, bytes: Data(#"{"hash": "x"}"#.utf8))
        #expect(try types.value(of: second, as: Avatar.self) == Avatar(hash: "x", size: 7))
        let future = PromisePayload(type: "Avatar", version: 4, bytes: Data("{}".utf8))
        #expect(throws: PromiseError.unknownVersion(type: "Avatar", version: 4)) {
            try types.value(of: future, as: Avatar.self)
        }
        let never = PromisePayload(type: "Avatar", version: 0, bytes: Data("{}".utf8))
        #expect(throws: PromiseError.unknownVersion(type: "Avatar", version: 0)) {
            try types.value(of: never, as: Avatar.self)
        }
    }

    @Test func registrationsAreChecked() throws {
        var types = PromiseTypes()
        func refusal<Value: Codable & Sendable>(_ type: Value.Type, _ name: String, version: Int = 1) -> String {
            do throws(PromiseError) { try types.register(type, as: name, version: version) } catch { return "\(error)" }
            return ""
        }
        #expect(refusal(Avatar.self, "A", version: 2).contains("from version 1 to 2"))
        #expect(refusal(Avatar.self, "").contains("empty"))
        #expect(refusal(Avatar.self, "A", version: 0).contains("begin with 1"))
        #expect(refusal(Avatar.self, "String").contains("another type"))
        #expect(
            refusal(Avatar.self, "[String]").contains("arrays") && refusal(Avatar.self, "Int?").contains("optionals"))
        #expect(refusal(Avatar.self, "A").isEmpty)
        #expect(refusal(Avatar.self, "B").contains("has a name already"))
        #expect(refusal(Other.self, "B").isEmpty)
    }

    @Test func storedBytesAreHostile() throws {
        let types = PromiseTypes()
        let deep = String(repeating: "[", count: 100_000)
        for bytes in ["", "x", "{", "[1", #""text""#, deep, "1e999", "\u{0}"] {
            let payload = PromisePayload(type: "Int", version: 1, bytes: Data(bytes.utf8))
            let error = #expect(throws: PromiseError.self) { try types.value(of: payload, as: Int.self) }
            guard case .undecodable("Int", _) = error else {
                Issue.record("\(String(describing: error)) for \(bytes.prefix(9))")
                continue
            }
        }
        let other = PromisePayload(type: "String", version: 1, bytes: Data("1".utf8))
        #expect(throws: PromiseError.wrongType(expected: "Int", actual: "String")) {
            try types.value(of: other, as: Int.self)
        }
    }

    @Test func valuesHaveALimit() {
        let text = String(repeating: "x", count: PromiseLimits.payloadLength)
        #expect(throws: PromiseError.self) { try PromiseTypes().payload(of: text) }
        #expect(throws: PromiseError.self) { try PromiseTypes().payload(of: Double.nan) }
    }
}

struct PromiseRejectionTests {
    @Test func keptPartsOfOtherErrors() {
        #expect(PromiseRejection(bridging: Oops.plain).code == "error:Oops.plain")
        let bridged = PromiseRejection(bridging: Oops.withSecret("password"))
        #expect(bridged.code == "error:Oops.withSecret")
        #expect(!bridged.description.contains("password"))
        let own = PromiseRejection(code: "forbidden", message: "no", account: "romeo@montague.example")
        #expect(PromiseRejection(bridging: own) == own)
        #expect(PromiseRejection(bridging: CancellationError()).code == "error:CancellationError")
        // Descriptions are for users: they may change, or be translated.
        #expect(PromiseRejection(bridging: Talking.short).code == "error:Talking")
        #expect(PromiseRejection(bridging: Talking.with(1)).code == "error:Talking.with")
        #expect(PromiseRejection(bridging: Debugged.short).code == "error:Debugged")
        #expect(PromiseRejection(bridging: Numbered.second).code == "error:Numbered.2")
        #expect(PromiseRejection(bridging: Named.first).code == "error:Named.one")
        #expect(PromiseRejection(bridging: Reflected.short).code == "error:Reflected")
        #expect(PromiseRejection(bridging: PromiseError.closed).code == "error:PromiseError")
    }

    @Test func longTextIsCutAtACharacter() throws {
        let long = String(repeating: "é", count: PromiseLimits.messageLength)
        let rejection = PromiseRejection(code: long, message: "x" + long)
        #expect(rejection.code.utf8.count == PromiseLimits.codeLength)
        #expect(rejection.message.utf8.count == PromiseLimits.messageLength - 1)
        #expect(rejection.message.last == "é")
    }
}

private enum Talking: Error, CustomStringConvertible {
    case short
    case with(Int)

    var description: String { "It is \(Int.random(in: 0..<1000)) o'clock." }
}

private enum Debugged: Error, CustomDebugStringConvertible {
    case short

    var debugDescription: String { "words" }
}

private enum Numbered: Int, Error, CustomStringConvertible {
    case second = 2

    var description: String { "words" }
}

private enum Named: String, Error {
    case first = "one"
}

private enum Reflected: Error, CustomReflectable {
    case short

    var customMirror: Mirror { Mirror(self, children: ["secret": 1], displayStyle: .enum) }
}
