// Structures with @DataForm at run time, and the compiler's errors for wrong ones.

import DataFormMacros
import Foundation
import Testing
import XMLTree

enum Whois: String, CaseIterable, FieldValue { case anyone, moderators }

@DataForm("http://jabber.org/protocol/muc#roomconfig")
struct RoomConfiguration {
    @Field("muc#roomconfig_roomname", label: "Name of the room") var name: String
    @Field("muc#roomconfig_publicroom") var isPublic = true
    @Field("muc#roomconfig_whois") var whois: Whois?
    @Field("muc#roomconfig_roomowners") var owners: [String]
}

extension RoomConfiguration: Equatable {}

@DataForm("urn:xmpp:http:upload:0")
struct UploadLimits {
    @Field("max-file-size") var maxFileSize: Int
}

@DataForm("urn:example:every")
private struct Every: Equatable {
    @Field var date: Date
    @Field var id: UUID?
    @Field var link: URL?
    @Field var bytes: Data
    @Field var numbers: [UInt8] = [1, 2]
    @Field var tags: [String]?
    @Field var share = 0.5
    var note = "stays"
}

private typealias Nickname = String?
private typealias Members = [Int]
private typealias MaybeMembers = Members?

@DataForm("urn:example:aliases")
private struct Aliases: Equatable {
    @Field var nickname: Nickname
    @Field var first: Swift.Optional<String>
    @Field var given: Nickname = "a"
    @Field var members: Members
    @Field var others: MaybeMembers
    @Field var numbers: Swift.Array<Int> = [1]
}

@Suite struct DataFormMacroTests {
    private let room = RoomConfiguration(name: "Elsinore", isPublic: false, whois: .moderators, owners: ["a@b", "c@d"])

    @Test func roundTrips() throws {
        for type in [DataForm.Kind.form, .submit, .result] {
            let form = try room.dataForm(type)
            #expect(try RoomConfiguration(form: form) == room)
            #expect(try RoomConfiguration(form: form.element()) == room)
            #expect(form.faults == [])
        }
        let every = Every(
            date: Date(timeIntervalSince1970: 5.25), id: UUID(), link: URL(string: "https://example.org/"),
            bytes: Data([1, 2]), numbers: [], tags: [], share: 3)
        #expect(try Every(form: every.dataForm(.submit).element()) == every)
        let sparse = DataForm(
            .submit, formType: "urn:example:every", ["date": "1970-01-01T00:00:05.25Z", "bytes": "AQI=", "share": ""])
        #expect(
            try Every(form: sparse)
                == Every(date: Date(timeIntervalSince1970: 5.25), id: nil, link: nil, bytes: Data([1, 2]), tags: nil))
    }

    @Test func toBeFilledIn() throws {
        let form = try room.dataForm(.form)
        let name = try #require(form.field("muc#roomconfig_roomname"))
        #expect(name.label == "Name of the room" && name.isRequired && name.type == .textSingle)
        let whois = try #require(form.field("muc#roomconfig_whois"))
        #expect(whois.options == Whois.allCases.map { FieldOption($0.rawValue) } && whois.values == ["moderators"])
        #expect(!whois.isRequired && whois.type == .listSingle)
        #expect(form.field("muc#roomconfig_publicroom")?.isRequired == false)
    }

    /// The type decides whether a field may be missing, however it is written.
    @Test func aliases() throws {
        let empty = DataForm(.submit, formType: "urn:example:aliases")
        let none = Aliases(nickname: nil, first: nil, given: nil, members: [], others: nil, numbers: [1])
        #expect(try Aliases(form: empty) == none)
        #expect(try none.dataForm(.form).fields.allSatisfy { !$0.isRequired })
        #expect(try none.dataForm(.form).field("members")?.type == .textMulti)
        let full = Aliases(nickname: "n", first: "f", given: "g", members: [1, 2], others: [], numbers: [])
        #expect(try Aliases(form: full.dataForm(.submit).element()) == full)
    }

    @Test func documentation() throws {
        let element = try Element(
            parsing: """
                <x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE' type='hidden'>\
                <value>http://jabber.org/protocol/muc#roomconfig</value></field>\
                <field var='muc#roomconfig_roomname'><value>Elsinore</value></field></x>
                """)
        let room = try RoomConfiguration(form: element)
        let submission = try room.dataForm(.submit)
        #expect(room == RoomConfiguration(name: "Elsinore", isPublic: true, whois: nil, owners: []))
        #expect(submission["muc#roomconfig_roomname"] == "Elsinore")
        #expect(throws: FormDecodingError.self) { try UploadLimits(form: element) }
    }

    @Test func uploadLimits() throws {
        let element = try DataForm(.result, formType: "urn:xmpp:http:upload:0", ["max-file-size": "5242880"]).element()
        let limits = try UploadLimits(form: element)
        let form = try limits.dataForm(.result)
        #expect(limits.maxFileSize == 5_242_880)
        #expect(form["max-file-size"] == "5242880")
    }

    /// Each value of a `text-multi` field is a line.
    @Test func aStringPropertyRefusesATextOfSeveralLines() throws {
        let name = "muc#roomconfig_roomname"
        var form = try room.dataForm(.submit)
        form.setField(FormField(name, .textMulti, values: ["Elsinore"]))
        #expect(try RoomConfiguration(form: form).name == "Elsinore")
        form.setField(FormField(name, .textMulti, values: ["Elsinore", "a castle"]))
        #expect(throws: FormDecodingError.severalValues(field: name, count: 2)) { try RoomConfiguration(form: form) }
        #expect(throws: FormDecodingError.self) { try RoomConfiguration(form: form.element()) }
        // An array takes the lines.
        form.setField(FormField(name, .textMulti, values: ["Elsinore"]))
        form.setField(FormField("muc#roomconfig_roomowners", .textMulti, values: ["a@b", "c@d"]))
        #expect(try RoomConfiguration(form: form).owners == ["a@b", "c@d"])
    }

    /// The compiler finds the mistakes that the macro cannot see.
    @Test func typesWithoutValues() async throws {
        let source = """
            import DataFormMacros
            struct Other {}
            @DataForm("urn:x") struct A { @Field var b: Other }
            """
        let errors = try await Compiler.errors(in: source)
        #expect(!errors.isEmpty && errors.allSatisfy { $0.contains("'FieldValue'") }, "\(errors)")
        let repaired = try await Compiler.errors(in: source.replacing("Other }", with: "Int }"))
        #expect(repaired == [])
    }
}
