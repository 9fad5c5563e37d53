// Repaired faults disappear: faults describe the current form, not the form that was read.

import Testing
import XMLTree

@testable import DataForms

@Suite struct RepairTests {
    private static let wrong = """
        <x xmlns='jabber:x:data' xmlns:v='http://jabber.org/protocol/xdata-validate' type='form' kept='1'><title>1</title>\
        <title>2</title>\
        <page xmlns='http://jabber.org/protocol/xdata-layout'><fieldref/><fieldref var='a'/></page>\
        <field var='a' type='list-multi'><v:validate kept='2'><v:basic/><v:open/><v:list-range min='x' max='3'/></v:validate>\
        <option><value>o</value><value>p</value></option><option label='none'/></field>\
        <field var='m'><media xmlns='urn:xmpp:media-element' height='tall' kept='3'><uri type='a/b'>c</uri></media></field></x>
        """

    private func form() throws -> DataForm { try #require(DataForm(parse(Self.wrong))) }

    private static let rules: Set<FormFault.Rule> = [
        .repeatedElement("title"), .namelessReference, .severalMethods, .wrongListRange, .optionValues(count: 2),
        .optionValues(count: 0), .wrongMediaSize(attribute: "height", value: "tall"),
    ]

    @Test func eachRepairEndsItsFault() throws {
        #expect(Set(try form().faults.map(\.rule)) == Self.rules)
        let repairs: [(Set<FormFault.Rule>, (inout DataForm) -> Void)] = [
            ([.repeatedElement("title")], { $0.title = "3" }), ([.repeatedElement("title")], { $0.title = nil }),
            ([.namelessReference], { $0.pages[0].parts.append(.field("m")) }),
            ([.namelessReference], { $0.pages = [] }),
            ([.severalMethods], { $0.fields[0].validation?.method = .open }),
            ([.severalMethods], { $0.fields[0].validation?.method = .regex("o|p") }),
            ([.wrongListRange], { $0.fields[0].validation?.listRange?.min = 1 }),
            ([.severalMethods, .wrongListRange], { $0.fields[0].validation = nil }),
            ([.optionValues(count: 2), .optionValues(count: 0)], { $0.fields[0].options = ["q", "r"] }),
            ([.optionValues(count: 0)], { $0.fields[0].options.append("q") }),
            ([.wrongMediaSize(attribute: "height", value: "tall")], { $0.fields[1].media?.height = 5 }),
        ]
        for (index, (ended, repair)) in repairs.enumerated() {
            var form = try form()
            repair(&form)
            var expected = Self.rules.subtracting(ended)
            // A list may not have this method at all.
            if case .regex = form.fields[0].validation?.method { expected.insert(.unsuitedMethod("regex", .listMulti)) }
            #expect(Set(form.faults.map(\.rule)) == expected, "repair \(index)")
            // The written form has the same values.
            let read = try #require(DataForm(form.element()))
            #expect(read == form, "repair \(index)")
            #expect(read.faults == form.faults, "repair \(index)")
        }
    }

    @Test func changesElsewhereRepairNothing() throws {
        var form = try form()
        form["a"] = "o"
        #expect(Set(form.faults.map(\.rule)) == Self.rules)
        // Text that XML cannot hold does not change the faults either.
        form.title = "\u{0}"
        #expect(Set(form.faults.map(\.rule)) == Self.rules)
    }

    /// Without the element, only the properties remain.
    @Test func forgetting() throws {
        var form = try form()
        form.forgetElement()
        #expect(form.faults == [])
        #expect(try form == self.form())
        #expect(try !form.element().description.contains("kept"))
        #expect(try DataForm(form.element()) == form)
    }
}
