// Stored values, and the stored parts of errors.

import Foundation
import Testing

@testable import Handlers

private struct Avatar: StorableObject, Equatable {
    static let storedName = "Avatar"
    static let storedVersion = 2
    var hash: String
    var size: Int

    static func migrate(_ json: Data, from version: Int) throws -> Data {
        let hash = try JSONDecoder().decode([String: String].self, from: json)["hash"] ?? ""
        return try JSONEncoder().encode(Avatar(hash: hash, size: 7))
    }
}

private enum Oops: Error { case plain, withSecret(String) }

struct PromisePayloadTests {
    private func payload(_ json: String, version: Int) throws -> PromisePayload {
        let value = StoredValue.object(StoredObject(type: "Avatar", version: version, json: Data(json.utf8)))
        return PromisePayload(type: "Avatar", bytes: try value.data())
    }

    @Test func valuesAndTheirTypes() throws {
        func check<Value: Storable & Equatable>(_ value: Value, _ name: String) throws {
            let payload = try PromisePayload(value)
            #expect(payload.type == name)
            #expect(try payload.value() == value)
        }
        try check(42, "Int")
        try check(NoValue(), "Nothing")
        try check(["a": [1], "b": []], "[String: [Int]]")
        try check([Avatar(hash: "a", size: 1)], "[Avatar]")
        let error = #expect(throws: PromiseError.self) { try PromisePayload(1).value() as String }
        #expect(error == .wrongType(expected: "String", actual: "Int"))
    }

    @Test func versionsOfATypeAreMigratedOrRefused() throws {
        #expect(try payload(#"{"hash": "x"}"#, version: 1).value() == Avatar(hash: "x", size: 7))
        let error = #expect(throws: PromiseError.self) { try payload("{}", version: 3).value() as Avatar }
        #expect("\(try #require(error))".contains("expected Avatar of version 2 at most, got version 3"))
        #expect(throws: PromiseError.self) { try payload("{}", version: 2).value() as Avatar }
    }

    @Test func storedBytesAreHostile() throws {
        let whole = try PromisePayload(7).bytes
        for bytes in [Data(), whole.dropLast(), whole + [0], Data("7".utf8), try PromisePayload("7").bytes] {
            let error = #expect(throws: PromiseError.self) {
                try PromisePayload(type: "Int", bytes: bytes).value() as Int
            }
            guard case .undecodable("Int", _) = error else {
                Issue.record("\(String(describing: error)) for \(Array(bytes))")
                continue
            }
        }
    }

    /// Values that a program has stored stay readable.
    @Test func theStoredFormStays() throws {
        let stored = try #require(Data(base64Encoded: "yEgBAkDIgnAPAQFhAw4="))
        #expect(try PromisePayload(["a": 7]).bytes == stored)
        #expect(try PromisePayload(type: "[String: Int]", bytes: stored).value() == ["a": 7])
        for index in stored.indices {
            var bytes = stored
            bytes[index] ^= 1
            #expect(throws: PromiseError.self, "byte \(index)") {
                try PromisePayload(type: "[String: Int]", bytes: bytes).value() as [String: Int]
            }
        }
    }

    @Test func aTypeThatCannotBeStoredHasNoPromise() async throws {
        let promises = try await PromiseCenter.start(store: MemoryPromiseStore(), role: .consumer)
        let error = await #expect(throws: PromiseError.self) { try await promises.create([Nameless].self) }
        guard case .unencodable("[]", let reason) = error else { return #expect(error == nil) }
        #expect(reason.contains("not a name for a stored type"))
    }

    private struct Nameless: StorableObject {
        static let storedName = ""
    }

    @Test func valuesHaveALimit() {
        let text = String(repeating: "x", count: PromiseLimits.payloadLength)
        #expect(throws: PromiseError.self) { try PromisePayload(text) }
        #expect(throws: PromiseError.unencodable(type: "Stubborn", reason: "error:CancellationError")) {
            try PromisePayload(Stubborn())
        }
    }

    private struct Stubborn: StorableObject {
        static let storedName = "Stubborn"
        func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }
}

struct PromiseRejectionTests {
    @Test func theSystemShowsTheMessageForTheUserOrTheCode() {
        #expect(PromiseRejection(code: "forbidden", message: "Only owners.").localizedDescription == "Only owners.")
        #expect(PromiseRejection(code: "forbidden").localizedDescription == "forbidden")
        #expect(PromiseError.closed.localizedDescription == "\(PromiseError.closed)")
    }

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
        #expect(PromiseRejection(bridging: Numbered.second).code == "error:Numbered.2")
        #expect(PromiseRejection(bridging: Named.first).code == "error:Named.one")
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

private enum Numbered: Int, Error, CustomStringConvertible {
    case second = 2

    var description: String { "words" }
}

private enum Named: String, Error {
    case first = "one"
}
