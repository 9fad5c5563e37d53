// The registry of FORM_TYPEs: its entries, added entries, and the types of fields without a type.

import Testing

@testable import DataForms

@Suite struct FormRegistryTests {
    @Test func knownForms() {
        let registry = FormRegistry.standard
        #expect(registry.formTypes.count >= 20)
        #expect(
            registry.type(of: "muc#roomconfig_whois", in: "http://jabber.org/protocol/muc#roomconfig") == .listSingle)
        #expect(
            registry.type(of: "muc#roomconfig_roomsecret", in: "http://jabber.org/protocol/muc#roomconfig")
                == .textPrivate)
        #expect(
            registry.type(of: "pubsub#notify_retract", in: "http://jabber.org/protocol/pubsub#node_config") == .boolean)
        #expect(registry.type(of: "with", in: "urn:xmpp:mam:2") == .jidSingle)
        #expect(registry.type(of: "max-file-size", in: "urn:xmpp:http:upload:0") == .textSingle)
        #expect(registry.type(of: "abuse-addresses", in: "http://jabber.org/network/serverinfo") == .listMulti)
        #expect(registry.type(of: "with", in: "urn:xmpp:mam:3") == nil)
        #expect(registry.type(of: "without", in: "urn:xmpp:mam:2") == nil)
        #expect(FormRegistry().formTypes == [])
    }

    /// Every line of the table is one of the two kinds, and names no field twice.
    @Test func theTableIsSound() {
        var seen: Set<String> = []
        var formType = ""
        for line in KnownForms.table.split(separator: "\n") {
            if !line.hasPrefix(" ") {
                formType = String(line)
                #expect(seen.insert(formType).inserted, "\(formType)")
                #expect(!formType.contains(" "))
                continue
            }
            let words = line.split(separator: " ").map(String.init)
            #expect(FieldType(rawValue: words[0]) != nil, "\(line)")
            #expect(words.count > 1, "\(line)")
            for name in words.dropFirst() { #expect(seen.insert(formType + " " + name).inserted, "\(name)") }
        }
        for formType in FormRegistry.standard.formTypes { #expect(!FormRegistry.standard.fields(of: formType).isEmpty) }
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
        #expect(registry.type(of: "a", in: "urn:example") == .jidMulti)
        #expect(registry.type(of: "\u{E9}", in: "urn:example") == .listMulti)
        #expect(registry.type(of: "e\u{301}", in: "urn:example") == nil)
        #expect(registry.fields(of: "urn:example").map(\.name) == ["a", "\u{E9}"])
        #expect(FormRegistry.standard.type(of: "a", in: "urn:example") == nil)
    }

    @Test func typesOfFields() {
        let formType = "http://jabber.org/protocol/muc#roomconfig"
        let field = FormField("muc#roomconfig_publicroom")
        for type in [DataForm.Kind.submit, .result] {
            #expect(DataForm(type, formType: formType).type(of: field) == .boolean)
            #expect(DataForm(type).type(of: field) == .textSingle)
            #expect(DataForm(type, formType: formType).type(of: field, in: FormRegistry()) == .textSingle)
            #expect(DataForm(type).type(of: FormField("FORM_TYPE")) == .hidden)
        }
        // A form without a type for a field means text-single (XEP-0004 §3.2).
        #expect(DataForm(.form, formType: formType).type(of: field) == .textSingle)
        // A written type counts, and an unknown field is text-single.
        #expect(
            DataForm(.submit, formType: formType).type(of: FormField("muc#roomconfig_publicroom", .jidMulti))
                == .jidMulti)
        var unknown = field
        unknown.typeName = "select-single"
        #expect(DataForm(.submit, formType: formType).type(of: unknown) == .textSingle)
    }
}
