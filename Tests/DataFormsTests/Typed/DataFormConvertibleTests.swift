// Structs as forms: the run-time part of typed forms, written by hand.

import DataForms
import Foundation
import TestSupport
import Testing
import XMLTree
import XMPPCore

@Suite struct DataFormConvertibleTests {
    enum Whois: String, FieldValue, CaseIterable { case anyone, moderators }

    struct Room: DataFormConvertible, Equatable {
        static let formType = "http://jabber.org/protocol/muc#roomconfig"
        var name: String
        var isPublic: Bool
        var whois: Whois?
        var limit: UInt8?
        var owners: [String]
        var share = 0.5

        init(name: String, isPublic: Bool, whois: Whois?, limit: UInt8?, owners: [String]) {
            (self.name, self.isPublic, self.whois, self.limit, self.owners) = (name, isPublic, whois, limit, owners)
        }

        init(from fields: FieldDecoder) throws(FormDecodingError) {
            name = try fields.decode("name")
            isPublic = try fields.decode("public")
            whois = try fields.decodeIfPresent("whois")
            limit = try fields.decodeIfPresent("limit")
            owners = try fields.decodeAll("owners")
            share = try fields.decode("share", default: 0.5)
        }

        func encode(to form: inout DataForm) throws(FormEncodingError) {
            try form.encode(name, for: "name")
            try form.encode(isPublic, for: "public")
            try form.encode(whois, for: "whois")
            try form.encode(limit, for: "limit")
            try form.encode(owners, for: "owners")
            try form.encode(share, for: "share")
        }
    }

    private static let room = Room(
        name: "Elsinore", isPublic: true, whois: .moderators, limit: 200, owners: ["a@b", "c@d"])

    @Test func roundTrip() throws {
        for type in [DataForm.Kind.form, .submit, .result] {
            let form = try Self.room.dataForm(type)
            #expect(try Room(form: form) == Self.room)
            let element = try form.element()
            #expect(try Room(form: element) == Self.room)
            #expect(try Room(form: element.thaw()) == Self.room)
            #expect(form.faults == [])
        }
        var small = Self.room
        (small.whois, small.limit, small.owners) = (nil, nil, [])
        #expect(try Room(form: small.dataForm(.submit)) == small)
        #expect(try small.dataForm(.submit).field("whois") == nil)
        #expect(
            try Self.room.dataForm(.form).fields.compactMap(\.type) == [
                .hidden, .textSingle, .boolean, .listSingle, .textSingle, .textMulti, .textSingle,
            ])
        #expect(try Self.room.dataForm(.submit).fields.dropFirst().allSatisfy { $0.type == nil })
    }

    private static let typed = "the value of the field "

    /// Changes of a form that can be read, each with the error.
    private static let changes: [(change: @Sendable (inout DataForm) -> Void, error: String?)] = [
        ({ $0["name"] = nil }, "the field 'name' has no value: expected one"), ({ $0["name"] = "" }, nil),
        ({ $0.set("public", to: []) }, "the field 'public' has no value: expected one"),
        ({ $0["public"] = "" }, "the field 'public' has no value: expected one"), ({ $0["limit"] = "" }, nil),
        ({ $0["public"] = "maybe" }, typed + "'public' is of another type; expected true, 1, false or 0"),
        ({ $0["limit"] = "256" }, typed + "'limit' is of another type; expected a whole number from 0 to 255"),
        ({ $0["whois"] = "x" }, typed + "'whois' is of another type; expected 'anyone', 'moderators'"),
        (
            { $0.formType = "urn:other" },
            "the form has the FORM_TYPE 'urn:other'; expected 'http://jabber.org/protocol/muc#roomconfig'"
        ),
        (
            { $0.formType = nil },
            "the form has no FORM_TYPE; expected 'http://jabber.org/protocol/muc#roomconfig'"
        ),
        // The decoder does not pick one of several values. Read a text of several lines as an array.
        (
            { $0.set("name", to: ["Elsinore", "a castle"]) },
            "the field 'name' has 2 values: expected one; read an array"
        ),
        ({ $0.set("limit", to: ["1", "2", "3"]) }, "the field 'limit' has 3 values: expected one; read an array"),
        ({ $0.set("share", to: ["1", ""]) }, "the field 'share' has 2 values: expected one; read an array"),
        ({ $0.set("owners", to: ["a@b", "c@d", "e@f"]) }, nil),
    ]

    @Test(arguments: changes.indices) func errors(_ index: Int) throws {
        var form = try Self.room.dataForm(.submit)
        Self.changes[index].change(&form)
        // From a value, and from an element.
        for read in [{ try Room(form: form) }, { try Room(form: form.element()) }] {
            do {
                _ = try read()
                #expect(Self.changes[index].error == nil)
            } catch {
                #expect("\(error)" == Self.changes[index].error)
            }
        }
        #expect(throws: FormDecodingError.notAForm) { try Room(form: Element(parsing: "<x/>")) }
    }

    @Test func documentation() throws {
        struct UploadLimits: DataFormConvertible {
            static let formType = "urn:xmpp:http:upload:0"
            var maxFileSize: Int

            init(from fields: FieldDecoder) throws(FormDecodingError) {
                maxFileSize = try fields.decode("max-file-size")
            }

            func encode(to form: inout DataForm) throws(FormEncodingError) {
                try form.encode(maxFileSize, for: "max-file-size")
            }
        }
        enum Whois: String, CaseIterable, FieldValue { case anyone, moderators }
        let form = DataForm(.result, formType: "urn:xmpp:http:upload:0", ["max-file-size": "5242880"])
        #expect(try UploadLimits(form: form).maxFileSize == 5_242_880)
        #expect(Whois(fieldValue: "anyone") == .anyone)
        #expect(Whois.fieldType == .listSingle)
    }

    /// Reading ignores white space around values, as XML Schema does.
    private func field<Value: FieldValue & Equatable>(_ value: Value, _ text: String, wrong: String...) throws {
        #expect(try value.fieldValue == text)
        for text in [text, " \(text)\n", "\r\n\t\(text)"] { #expect(Value(fieldValue: text) == value) }
        for wrong in wrong + ["\u{A0}\(text)"] { #expect(Value(fieldValue: wrong) == nil, "\(wrong)") }
        #expect(Value.fieldType == (Value.self == Bool.self ? .boolean : .textSingle) && Value.fieldOptions.isEmpty)
    }

    @Test func values() throws {
        try field(true, "true", wrong: "TRUE", "")
        try field(UInt8(255), "255", wrong: "256", "-1", "5 5", " ", "")
        try field(Int(-5), "-5", wrong: "5.0")
        try field(
            Date(timeIntervalSince1970: 1_033_641_616.5), "2002-10-03T10:40:16.500Z",
            wrong: "", "2002-10-03", "2002-13-03T10:40:16Z", "yesterday")
        #expect(Date(fieldValue: "1969-12-31T16:00:00-08:00") == Date(timeIntervalSince1970: 0))
        #expect(Date(fieldValue: "1970-01-02T00:00:00.25") == Date(timeIntervalSince1970: 86_400.25))
        // Foundation's reader takes the numbers of a UUID with signs, spaces and `0x`.
        try field(
            try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")),
            "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", wrong: "", "e621e1f8", "+621E1F8-C36C-495A-93FC-0C247A3E6E5F",
            "0x21E1F8-C36C-495A-93FC-0C247A3E6E5F", "E621E1F8-C36C- 95A-93FC-0C247A3E6E5F",
            "E621E1F8-C36C-495A-93FC-0C247A3E6E5F0")
        // Foundation escapes the percent sign of a wrong escape, and a second number sign.
        let url = try #require(URL(string: "https://example.org/a?b=c%20d#e"))
        #expect(url.fieldValue == "https://example.org/a?b=c%20d#e" && URL(fieldValue: " \(url)\n") == url)
        for wrong in ["", "https://example.org/%zz", "https://example.org/%", "https://example.org/#a#b"] {
            #expect(URL(fieldValue: wrong) == nil, "\(wrong)")
        }
        #expect(URL(fieldValue: "https://example.org/a b")?.absoluteString == "https://example.org/a%20b")
        try field(
            Data([0, 255, 16]), "AP8Q",
            wrong: "A", "A?==", "====", "AAAA=", "AA=A", "AA=", "AP8\u{301}Q", "AP8Q\u{A0}", "=AP8Q")
        #expect(Data(fieldValue: "") == Data() && Data(fieldValue: "AP8Q AP8Q\n") == Data([0, 255, 16, 0, 255, 16]))
        #expect(String(fieldValue: " a ") == " a ")
        #expect(JID.fieldType == .jidSingle && JID(fieldValue: "juliet@") == nil)
        #expect(JID(fieldValue: "Juliet@Capulet.example")?.fieldValue == "juliet@capulet.example")
        // Swift compares raw values by canonical equivalence.
        enum City: String, FieldValue { case orleans = "Orl\u{E9}ans" }
        #expect(City(fieldValue: "Orl\u{E9}ans") == .orleans && City(fieldValue: "Orle\u{301}ans") == nil)
    }

    /// The numbers that are not finite have names (XML Schema part 2, `double`).
    @Test func doubles() throws {
        try field(Double.infinity, "INF", wrong: "inf", "infinity", "1e400", "0x1p3", "1e", "")
        try field(-Double.infinity, "-INF", wrong: "-inf", "-1e400")
        #expect(Double.nan.fieldValue == "NaN" && Double(fieldValue: " NaN ")?.isNaN == true)
        var random = SeededGenerator(salt: 0xD0B1)
        for _ in 0..<SeededGenerator.cases(default: 2_000) {
            let number = Double(bitPattern: random.next())
            let read = Double(fieldValue: number.fieldValue)
            #expect(read == number || read?.isNaN == true && number.isNaN, "\(number), seed \(SeededGenerator.seed)")
        }
    }

    /// Reading and writing gives the same text, for all milliseconds of random years.
    @Test func dates() throws {
        for text in ["2023-01-18T10:04:11.123Z", "1500-03-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z"] {
            #expect(try Date(fieldValue: text)?.fieldValue == text)
        }
        var random = SeededGenerator(salt: 0xDA7E)
        for _ in 0..<SeededGenerator.cases(default: 5_000) {
            func digits(_ range: ClosedRange<Int>, _ count: Int) -> String {
                String(String(random.number(range) + 10_000).suffix(count))
            }
            let text =
                "\(digits(1...9999, 4))-\(digits(1...12, 2))-\(digits(1...28, 2))T\(digits(0...23, 2)):"
                + "\(digits(0...59, 2)):\(digits(0...59, 2)).\(digits(0...999, 3))Z"
            #expect(try Date(fieldValue: text)?.fieldValue == text, "seed \(SeededGenerator.seed)")
        }
    }

    /// A year needs four digits (XEP-0082).
    @Test func valuesWithoutText() throws {
        var form = DataForm(.submit)
        let error = #expect(throws: FormEncodingError.self) { try form.encode(Date.distantPast, for: "since") }
        #expect(error?.field == "since")
        #expect(error?.description.hasSuffix("use the years 0001 to 9999") == true)
        #expect(throws: FormEncodingError.self) {
            try form.encode([Date(), Date(timeIntervalSince1970: 253_402_300_800)], for: "since")
        }
        #expect(form.fields.isEmpty)
    }

    @Test func formsToBeFilledIn() throws {
        struct Empty: DataFormConvertible {
            static let formType = "urn:x"
            var whois: Whois?
            var tags: [Whois]?

            init() {}
            init(from fields: FieldDecoder) throws(FormDecodingError) { tags = try fields.decodeAllIfPresent("tags") }

            func encode(to form: inout DataForm) throws(FormEncodingError) {
                try form.encode(whois, for: "whois", label: "Visible to", isRequired: true)
                if let tags { try form.encode(tags, for: "tags") }
            }
        }
        let field = try Empty().dataForm(.form).field("whois")
        #expect(field?.label == "Visible to" && field?.isRequired == true && field?.values == [])
        #expect(field?.options == ["anyone", "moderators"])
        #expect(try Empty().dataForm(.submit).field("whois") == nil)
        var some = Empty()
        some.tags = []
        #expect(try Empty(form: some.dataForm(.submit)).tags == [])
        #expect(try Empty(form: Empty().dataForm(.submit)).tags == nil)
        #expect(try some.dataForm(.form).field("tags")?.type == .listMulti)
        // Encoding `nil` removes an earlier value.
        some.whois = .anyone
        var form = try some.dataForm(.submit)
        some.whois = nil
        try some.encode(to: &form)
        #expect(form.field("whois") == nil)
    }
}
