// The checks that a registry makes when it is built.

import Foundation
import Testing

@testable import Handlers

@Suite struct RegistryTests {
    private func problems(_ handlers: HandlerDefinition..., objects: [any StorableObject.Type] = [])
        -> [HandlerRegistryError.Problem]
    {
        do throws(HandlerRegistryError) {
            _ = try HandlerRegistry(handlers: handlers, objects: objects)
            return []
        } catch {
            #expect(error.description.split(separator: "\n").count == error.problems.count)
            return error.problems
        }
    }

    @Test func complete() throws {
        enum Mail: HandlerProvider {
            static let handlers = [
                HandlerDefinition("Mail|sent", formerly: ["Mail|delivered"]) {}, HandlerDefinition("Mail|lost") {},
            ]
        }
        let registry = try HandlerRegistry(Mail.self, handlers: [HandlerDefinition("Other|one") {}])
        #expect(registry.names == ["Mail|lost", "Mail|sent", "Other|one"])
        #expect(registry.definition(of: "Mail|delivered")?.name == "Mail|sent")
        #expect(registry.definition(of: "Mail|gone") == nil)
    }

    @Test func names() {
        #expect(problems(HandlerDefinition("noBar") {}) == [.invalidName("noBar")])
        #expect(problems(HandlerDefinition("A|b") {}, HandlerDefinition("A|b") {}) == [.duplicateName("A|b")])
        #expect(
            problems(HandlerDefinition("A|b") {}, HandlerDefinition("A|c", formerly: ["A|b"]) {})
                == [.duplicateName("A|b")])
    }

    @Test func migrations() {
        let migration: HandlerMigration = { _ in }
        #expect(problems(HandlerDefinition("A|b", version: 3, migrations: [1: migration, 2: migration]) {}) == [])
        #expect(
            problems(HandlerDefinition("A|b", version: 4, migrations: [2: migration]) {})
                == [.missingMigration("A|b", from: 1), .missingMigration("A|b", from: 3)])
        #expect(
            problems(HandlerDefinition("A|b", version: 2, migrations: [0: migration, 1: migration, 2: migration]) {})
                == [.uselessMigration("A|b", from: 0, version: 2), .uselessMigration("A|b", from: 2, version: 2)])
        #expect(problems(HandlerDefinition("A|b", version: 0) {}) == [.invalidVersion("A|b", 0)])
        #expect(
            problems(HandlerDefinition("A|b", version: HandlerLimits.version + 1) {})
                == [.invalidVersion("A|b", HandlerLimits.version + 1)])
    }

    @Test func parameters() {
        let parameter = HandlerParameter("a", Int.self)
        #expect(
            problems(HandlerDefinition("A|b", parameter, parameter) { _, _ in }) == [.duplicateParameter("A|b", "a")])
        #expect(
            problems(HandlerDefinition("A|b", HandlerParameter("", Int.self)) { _ in })
                == [.invalidParameterName("A|b", "")])
    }

    @Test func types() throws {
        struct Other: StorableObject { static let storedName = "Upload" }
        struct Nameless: StorableObject { static let storedName = "" }
        struct Old: StorableObject {
            static let storedName = "Old"
            static let storedVersion = 0
        }
        #expect(problems(objects: [Upload.self, Upload.self]) == [])
        #expect(problems(objects: [Upload.self, Other.self]) == [.duplicateTypeName("Upload")])
        #expect(problems(objects: [Nameless.self]) == [.invalidTypeName("")])
        #expect(problems(objects: [Old.self]) == [.invalidTypeVersion("Old", 0)])
        // A registry also knows the types of the handlers' parameters.
        let uploads = HandlerDefinition("A|b", HandlerParameter("uploads", [Upload]?.self)) { _ in }
        #expect(problems(uploads, objects: [Other.self]) == [.duplicateTypeName("Upload")])
        let dispatcher = try HandlerDispatcher(uploads)
        let data = try dispatcher.data(
            of: dispatcher.handler("A|b", binding: ["uploads": [Upload(file: "f", size: 1)]]))
        #expect(try dispatcher.load(from: data).arguments.count == 1)
    }

    @Test(arguments: ["", "|", "noBar", "Type|", "|function", "A|b|c", "A|b<c>", "A\n|b", "A|b\u{0}"])
    func wrongName(text: String) {
        #expect(!HandlerName(text).isValid, "\(text)")
    }

    @Test func theSystemShowsTheDescriptionsOfErrors() {
        let errors: [any Error] = [
            HandlerError(.alreadyCalled, handler: "A|b"), HandlerRegistryError(problems: [.duplicateName("A|b")]),
            StorableMismatch(expected: "a number", actual: "text"),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
    }
}
