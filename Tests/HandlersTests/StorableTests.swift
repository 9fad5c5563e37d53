// The conversion of Swift types to stored values and back.

import Foundation
import Handlers
import Testing
import XMLTree

@Suite struct StorableTests {
    private func expectRoundTrip<Value: Storable & Equatable>(_ value: Value, _ type: String) throws {
        let stored = try value.storedValue()
        #expect(stored.matches(Value.storableType))
        #expect(Value.storableType.description == type)
        #expect(try Value(storedValue: stored) == value)
    }

    @Test func everyType() throws {
        try expectRoundTrip([1, 2], "[Int]")
        try expectRoundTrip(["a": [true]], "[String: [Bool]]")
        try expectRoundTrip([Int](), "[Int]")
        try expectRoundTrip(Upload(file: "a", size: 1), "Upload")
        try expectRoundTrip([Upload(file: "a", size: 1)], "[Upload]")
        let dispatcher = try HandlerDispatcher(HandlerDefinition("A|b") {})
        try expectRoundTrip(try dispatcher.handler("A|b"), "Handler")
    }

    @Test func enumerations() throws {
        enum Kind: String, Storable { case direct, group }
        try expectRoundTrip(Kind.group, "String")
        #expect(throws: StorableMismatch.self) { try Kind(storedValue: .string("square")) }
        #expect(throws: StorableMismatch(expected: "String", actual: "Int")) { try Kind(storedValue: .int(1)) }
    }

    @Test func otherTypes() throws {
        #expect(throws: StorableMismatch(expected: "Int", actual: "Int32")) { try Int(storedValue: .int32(1)) }
        #expect(throws: StorableMismatch(expected: "[Int]", actual: "String")) { try [Int](storedValue: .string("")) }
        #expect(throws: StorableMismatch(expected: "Int", actual: "Bool")) {
            try [Int](storedValue: .array([.int(1), .bool(true)]))
        }
        #expect(throws: StorableMismatch(expected: "Upload", actual: "Other")) {
            try Upload(storedValue: .object(StoredObject(type: "Other", version: 1, json: Data())))
        }
        #expect(!StoredValue.array([.int(1), .bool(true)]).matches(.array(.int)))
    }

    /// Two values are equal if their stored bytes are equal.
    @Test func equality() {
        #expect(StoredValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(StoredValue.double(.nan) == .double(.nan))
        #expect(StoredValue.double(0) != .double(-0.0))
        #expect(StoredValue.int(1) != .uint(1))
        #expect(StoredValue.array([.int(1)]).hashValue == StoredValue.array([.int(1)]).hashValue)
    }

    /// Descriptions end up in logs, so they must hide values.
    @Test func descriptionsHideValues() throws {
        let secret = StoredValue.array([.string("secret")])
        #expect("\(secret) \(String(reflecting: secret))" == "[String] [String]")
        let arguments: HandlerArguments = ["password": "secret", "account": nil]
        #expect("\(arguments)" == "[account: nil, password: String]")
        #expect(String(reflecting: arguments) == "[account: nil, password: String]")
    }

    @Test func olderObjects() throws {
        struct Note: StorableObject, Equatable {
            static let storedName = "Note"
            static let storedVersion = 3
            var text: String

            static func migrate(_ json: Data, from version: Int) throws -> Data {
                let text = String(decoding: json, as: UTF8.self)
                return Data(
                    text.replacing(version == 1 ? "body" : "content", with: version == 1 ? "content" : "text").utf8)
            }
        }
        func note(_ version: Int, _ json: String) throws -> Note {
            try Note(storedValue: .object(StoredObject(type: "Note", version: version, json: Data(json.utf8))))
        }
        #expect(try note(1, #"{"body":"x"}"#) == Note(text: "x"))
        #expect(try note(2, #"{"content":"x"}"#) == Note(text: "x"))
        #expect(try note(3, #"{"text":"x"}"#) == Note(text: "x"))
        #expect(throws: StorableMismatch.self) { try note(4, #"{"text":"x"}"#) }
        #expect(throws: DecodingError.self) { try note(3, "{}") }
    }
}
