// The registry of FORM_TYPEs: its entries, added entries, and the types of fields without a type.

import Testing

@testable import DataForms

@Suite struct FormRegistryTests {
    private static let room = "http://jabber.org/protocol/muc#roomconfig"

    @Test(
        arguments: [
            ("muc#roomconfig_whois", room, .listSingle), ("muc#roomconfig_roomsecret", room, .textPrivate),
            ("pubsub#notify_retract", "http://jabber.org/protocol/pubsub#node_config", .boolean),
            ("with", "urn:xmpp:mam:2", .jidSingle), ("max-file-size", "urn:xmpp:http:upload:0", .textSingle),
            ("abuse-addresses", "http://jabber.org/network/serverinfo", .listMulti), ("with", "urn:xmpp:mam:3", nil),
            ("without", "urn:xmpp:mam:2", nil),
        ] as [(String, String, FieldType?)])
    func knownFields(name: String, formType: String, type: FieldType?) {
        #expect(FormRegistry.standard.type(of: name, in: formType) == type)
    }

    /// Every line of the table is one of the two kinds, and names no field twice.
    @Test func theTableIsSound() {
        var seen: Set<String> = []
        var formType = ""
        for line in KnownForms.table.split(separator: "\n") {
            if !line.hasPrefix(" ") {
                formType = String(line)
                #expect(seen.insert(formType).inserted && !formType.contains(" "), "\(formType)")
                continue
            }
            let words = line.split(separator: " ").map(String.init)
            #expect(FieldType(rawValue: words[0]) != nil && words.count > 1, "\(line)")
            for name in words.dropFirst() { #expect(seen.insert(formType + " " + name).inserted, "\(name)") }
        }
        let registry = FormRegistry.standard
        #expect(registry.formTypes.count >= 20 && registry.formTypes.allSatisfy { !registry.fields(of: $0).isEmpty })
        #expect(FormRegistry().formTypes == [])
    }

    /// No example of the specifications has a field of another type.
    @Test func theTableAgreesWithTheSpecifications() throws {
        // The specifications contradict each other or Prosody here.
        let exceptions: Set = ["pubsub#access_model", "pubsub#publish_model", "pubsub#node", "onlineuserjids"]
        for element in try CorpusForms.all {
            let form = try #require(DataForm(element))
            guard let formType = form.formType else { continue }
            for field in form.fields + (form.reported ?? []) {
                guard let name = field.name, let type = field.type, type != .hidden, !exceptions.contains(name),
                    let known = FormRegistry.standard.type(of: name, in: formType)
                else { continue }
                #expect(type == known, "\(name) of \(formType)")
            }
        }
    }

    @Test func growing() {
        var registry = FormRegistry.standard
        registry.register("urn:example", ["a": .boolean, "\u{E9}": .listMulti])
        registry.register("urn:example", ["a": .jidMulti])
        for (name, type) in [("a", .jidMulti), ("\u{E9}", .listMulti), ("e\u{301}", nil)] as [(String, FieldType?)] {
            #expect(registry.type(of: name, in: "urn:example") == type)
        }
        #expect(registry.fields(of: "urn:example").map(\.name) == ["a", "\u{E9}"])
        #expect(FormRegistry.standard.type(of: "a", in: "urn:example") == nil)
    }

    @Test func typesOfFields() {
        var field = FormField("muc#roomconfig_publicroom")
        for kind in [DataForm.Kind.submit, .result] {
            #expect(DataForm(kind, formType: Self.room).type(of: field) == .boolean)
            #expect(DataForm(kind).type(of: field) == .textSingle)
            #expect(DataForm(kind, formType: Self.room).type(of: field, in: FormRegistry()) == .textSingle)
            #expect(DataForm(kind).type(of: FormField("FORM_TYPE")) == .hidden)
        }
        // A form without a type for a field means text-single (XEP-0004 §3.2).
        #expect(DataForm(.form, formType: Self.room).type(of: field) == .textSingle)
        // A written type counts, and an unknown one is text-single.
        for (name, type) in [("jid-multi", FieldType.jidMulti), ("select-single", .textSingle)] {
            field.typeName = name
            #expect(DataForm(.submit, formType: Self.room).type(of: field) == type)
        }
    }
}
