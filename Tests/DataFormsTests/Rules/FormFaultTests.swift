// Forms that break the rules of the specifications: the fault of each, and its effect on reading. Repaired faults
// disappear: faults describe the current form, not the form that was read.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FormFaultTests {
    private typealias Fault = FormFault

    /// A form with prefixes for the additions to forms: `v` validation, `l` layout, `m` media.
    private static func form(_ content: String, type: String = "form") throws -> DataForm {
        let xml = """
            <x xmlns='jabber:x:data' xmlns:v='http://jabber.org/protocol/xdata-validate' \
            xmlns:l='http://jabber.org/protocol/xdata-layout' xmlns:m='urn:xmpp:media-element' \(type.isEmpty ? "" : "type='\(type)'")>\(content)</x>
            """
        return try #require(DataForm(parse(xml)))
    }

    private static let good = """
        <title>T</title><instructions>1</instructions><instructions>2</instructions>\
        <l:page><l:fieldref var='a'/><l:reportedref/><l:section><l:fieldref var='b'/></l:section></l:page>\
        <field var='FORM_TYPE' type='hidden'><value>u</value></field><field type='fixed'><value>Read!</value></field>\
        <field var='a' type='list-multi'><v:validate datatype='xs:byte'><v:open/>\
        <v:list-range min='1'/></v:validate><option label='1'><value>1</value></option><value>1</value><value>2</value>\
        <required></required></field>\
        <field var='b' type='text-single'><v:validate><v:regex>a+</v:regex></v:validate></field>
        """
    private static let header = "<reported><field var='a'/></reported>"
    private static let item = "<item><field var='a'/></item>"
    private static let hidden = "<field var='FORM_TYPE' type='hidden'><value>u</value></field>"
    private static let plain = hidden.replacing(" type='hidden'", with: "")
    private static let visible = hidden.replacing("hidden", with: "text-single")
    private static let mam = hidden.replacing(">u<", with: ">urn:xmpp:mam:2<")
    private static let fieldsOfMAM =
        "<field var='with'/><field var='x-old'/><field var='{urn:own}new'/><field var='mine'/><field var='n' type='fixed'/>"

    private static func page(_ content: String) -> String { "<l:page>\(content)</l:page><field var='a'/>" }

    private static func sections(_ depth: Int) -> String {
        page(String(repeating: "<l:section>", count: depth) + ref + String(repeating: "</l:section>", count: depth))
    }

    private static let ref = "<l:fieldref var='a'/>"

    /// The contents of forms, each with its type and the rules that it breaks.
    private static let forms: [(content: String, type: String, rules: [FormFault.Rule])] = [
        ("", "form", []), ("", "cancel", []), (good, "form", []), ("", "", [.unknownType(nil)]),
        ("", "order", [.unknownType("order")]), ("<field type='boolean'/><field type='fixed'/>", "form", [.nameless]),
        ("<field var='a'/><field var='b'/><field var='a'/>", "form", [.repeatedField]),
        ("<field var='a'/>", "cancel", [.fieldsInCancel]),
        ("<title>1</title><title>2</title>", "form", [.repeatedElement("title")]),
        // Tables (XEP-0004 §3.4). A FORM_TYPE in an item does not count as a column.
        (hidden + header + item + "<item><field var='FORM_TYPE'/><field var='a'/></item>", "result", []),
        (header + "<item><field var='b'/><field var='a'/></item>", "result", [.unknownColumn(item: 0)]),
        (header + item + "<item/>", "result", [.incompleteItem(1)]),
        (header + header, "result", [.repeatedElement("reported")]), (item + item, "result", [.itemsWithoutHeader]),
        ("<reported/>", "result", [.emptyHeader]), (item + header + item, "result", [.headerAfterItem]),
        ("<reported><field var='a'><value/></field></reported>" + item, "result", [.valueInHeader]),
        (hidden + "<field var='b'/><field var='c'/>" + header, "result", [.fieldBesideTable]),
        (header, "form", [.tableOutsideResult(.form)]), (header + item, "submit", [.tableOutsideResult(.submit)]),
        // FORM_TYPE (XEP-0068). Without a registry, a field that is not registered is not a fault.
        ("<field var='FORM_TYPE' type='hidden'/>", "form", [.formTypeWithoutValue]),
        (hidden + hidden, "form", [.severalFormTypes]), (plain, "form", [.formTypeNotHidden]),
        (hidden.replacing("</field>", with: "<value>v</value></field>"), "form", [.severalFormTypes]),
        (visible, "result", [.formTypeNotHidden]), (plain, "submit", []), (visible, "submit", []),
        (mam + fieldsOfMAM, "form", []),
        // Layout (XEP-0141).
        (page("<l:fieldref var='c'/>"), "form", [.danglingReference]),
        (page(ref + "<l:section>\(ref)</l:section>"), "form", [.repeatedReference]),
        (page("<l:reportedref/><l:reportedref/>"), "form", [.repeatedReference]),
        (
            page("<l:fieldref/><l:section>\(ref)<l:fieldref/></l:section>"), "form",
            [.namelessReference, .namelessReference]
        ),
        (page("<l:section label='S'><l:text>t</l:text></l:section>"), "form", [.emptySection(label: "S")]),
        (sections(FormSection.maximumDepth), "form", []),
    ]

    @Test(arguments: forms) func formFaults(content: String, type: String, rules: [FormFault.Rule]) throws {
        let form = try Self.form(content, type: type)
        #expect(form.faults.map(\.rule) == rules)
        // The written form has the same.
        #expect(try DataForm(form.element())?.faults == form.faults)
    }

    private static func option(_ label: String, _ value: String) -> String {
        "<option label='\(label)'><value>\(value)</value></option>"
    }

    private static func validate(_ content: String, _ datatype: String = "xs:integer") -> String {
        "<v:validate datatype='\(datatype)'>\(content)</v:validate>"
    }

    private static func media(_ content: String, _ size: String = "") -> String {
        "<m:media \(size)>\(content)</m:media>"
    }

    private static let uri = "<m:uri type='audio/ogg; codecs=speex'>c</m:uri><m:uri type=' a/b '>c</m:uri>"

    /// The contents of a field 'a', each with its type and the rules that it breaks.
    private static let fields: [(content: String, type: String, rules: [FormFault.Rule])] = [
        ("", "select-single", [.unknownFieldType("select-single")]),
        ("<value>1</value><value>0</value>", "boolean", [.severalValues(.boolean)]),
        ("<value>maybe</value>", "boolean", [.wrongBoolean("maybe")]),
        ("<value> 1</value>", "boolean", [.wrongBoolean(" 1")]),
        ("<value/>", "boolean", [.wrongBoolean("")]), ("<value>true</value>", "boolean", []),
        (option("", "1"), "text-single", [.unexpectedOptions(.textSingle)]),
        (option("x", "1") + option("x", "2"), "list-single", [.repeatedOption(FieldOption("2", label: "x"))]),
        (option("y", "1") + option("x", "1"), "list-single", [.repeatedOption(FieldOption("1", label: "x"))]),
        ("<option label='x'/>", "list-single", [.optionValues(count: 0)]),
        ("<option><value>1</value><value>2</value></option>", "list-single", [.optionValues(count: 2)]),
        ("<desc>1</desc><desc>2</desc>", "text-single", [.repeatedElement("desc")]),
        ("<v:validate/><v:validate/>", "text-single", [.repeatedElement("validate")]),
        ("<required>yes</required>", "text-single", [.requiredWithContent]),
        ("<required><value/></required>", "text-single", [.requiredWithContent]),
        // Validation (XEP-0122). The library cannot know whether the values of a foreign datatype have an order.
        (validate("<v:basic/><v:regex>a</v:regex>"), "text-single", [.severalMethods]),
        (validate("<v:magic/>", "x:own"), "text-single", []), (validate("<v:range/>"), "text-single", []),
        (validate("<v:range min='1'/>", "xs:string"), "text-single", [.unorderedRange(datatype: "xs:string")]),
        (validate("<v:range min='1'/>", "xs2:integer"), "text-single", []),
        (validate("<v:range min='2' max='1'/>"), "text-single", [.wrongBounds(min: "2", max: "1")]),
        (validate("<v:range min='x'/>"), "text-single", [.wrongBounds(min: "x", max: nil)]),
        (validate("<v:regex>(</v:regex>"), "text-single", [.wrongPattern("(", message: "a '(' is not closed")]),
        (validate("<v:list-range min='1'/>"), "text-single", [.unexpectedListRange(.textSingle)]),
        (validate("<v:list-range min=' 1 ' max='2'/>"), "list-multi", []),
        (validate("<v:list-range min='1'/><v:list-range/>"), "list-multi", [.repeatedElement("list-range")]),
        (validate("<v:list-range min='2'/>") + option("1", "1"), "list-multi", [.unreachableMinimum(2, options: 1)]),
        // These lists also accept other values.
        (validate("<v:open/><v:list-range min='2'/>") + option("1", "1"), "list-multi", []),
        // Media (XEP-0221).
        (media(uri, "height='80' width=' 65535 '"), "text-single", []),
        (media(""), "text-single", [.mediaWithoutAddress]),
        (media("<m:uri>c</m:uri>"), "text-single", [.mediaWithoutType]),
    ]

    @Test(arguments: fields) func fieldFaults(content: String, type: String, rules: [FormFault.Rule]) throws {
        let form = try Self.form("<field var='a' type='\(type)'>\(content)</field>")
        #expect(form.faults == rules.map { Fault("a", $0) })
        #expect(try DataForm(form.element())?.faults == form.faults)
    }

    private func faults(_ content: String, type: String = "text-single") throws -> [FormFault] {
        try Self.form("<field var='a' type='\(type)'>\(content)</field>").faults
    }

    /// Attributes and values that are each one fault.
    @Test func wrongValues() throws {
        for datatype in ["", "integer", ":integer", "x:", "xs:", "xs:Integer", "xs:xs:integer", "XS"] {
            #expect(try faults(Self.validate("<v:basic/>", datatype)) == [Fault("a", .wrongDatatype(datatype))])
        }
        for datatype in ["xs:token", "xs:NMTOKENS", "xs:ID", "x:own", "pubsub:integer-or-max", "é:ü"] {
            #expect(try faults(Self.validate("", datatype)) == [], "\(datatype)")
        }
        for bounds in ["min='2' max='1'", "min='0'", "min='-1'", "max='x'", "min=''", "min='0' max='x'"] {
            let found = try faults(Self.validate("<v:list-range \(bounds)/>"), type: "list-multi")
            #expect(found == [Fault("a", .wrongListRange)], "\(bounds)")
        }
        for type in ["png", "image/", "/png", "image/png/x", "", "im age/png"] {
            #expect(try faults(Self.media("<m:uri type='\(type)'>c</m:uri>")) == [Fault("a", .wrongMediaType(type))])
        }
        for size in ["", "-1", "80px", "65536", "9999999999999999999999", "1.5"] {
            let found = try faults(Self.media(Self.uri, "height='\(size)'"))
            #expect(found == [Fault("a", .wrongMediaSize(attribute: "height", value: size))])
        }
        #expect(try Self.form(Self.sections(FormSection.maximumDepth + 1)).faults.map(\.rule).contains(.deepSection))
        // Faults also describe a form that the app makes. The schema has an unsigned short (XEP-0221 §8).
        let sizes = FieldMedia(height: -1, width: 65_536, uris: [MediaURI("cid:1", type: "image/png")])
        let own = DataForm(
            .form, formType: "u",
            fields: [
                FormField("FORM_TYPE"), FormField(nil, .boolean), FormField("b", .boolean, values: ["1", "0"]),
                FormField("m", .textSingle, media: sizes),
            ])
        #expect(
            own.faults.map(\.rule) == [
                .severalFormTypes, .nameless, .severalValues(.boolean),
                .wrongMediaSize(attribute: "height", value: "-1"),
                .wrongMediaSize(attribute: "width", value: "65536"),
            ])
    }

    /// The table "Validation Methods and Field Types" of XEP-0122 §4.6, line by line: the types that a method is not
    /// for. And the content that the element of a method may have (§3.2).
    @Test(
        arguments: [
            (
                "basic", "<v:basic/>", [.hidden, .jidMulti, .jidSingle],
                ["<v:basic x='1'/>", "<v:basic>x</v:basic>", "<v:basic><b/></v:basic>"]
            ),
            ("basic", "", [.hidden, .jidMulti, .jidSingle], []),
            ("open", "<v:open/>", [.hidden], ["<v:open x='1'/>", "<v:open>x</v:open>", "<v:open><b/></v:open>"]),
            (
                "range", "<v:range min='1'/>", [.hidden, .jidMulti, .listMulti, .textMulti],
                ["<v:range min='1'>x</v:range>", "<v:range min='1'><b/></v:range>"]
            ),
            (
                "regex", "<v:regex>1</v:regex>", [.hidden, .jidMulti, .listMulti, .textMulti],
                ["<v:regex x='1'>1</v:regex>", "<v:regex>1<b/></v:regex>"]
            ),
        ] as [(String, String, Set<FieldType>, [String])])
    func methods(method: String, content: String, unsuited: Set<FieldType>, wrong: [String]) throws {
        for type in FieldType.allCases {
            let faults = try self.faults(Self.validate(content), type: type.rawValue)
            #expect(faults == (unsuited.contains(type) ? [Fault("a", .unsuitedMethod(method, type))] : []), "\(type)")
        }
        for content in wrong {
            #expect(
                try faults(Self.validate(content)) == [Fault("a", .methodWithContent(method))], "\(content)")
        }
    }

    /// The fields of a registered FORM_TYPE must be registered, or mark themselves by name as unregistered.
    @Test(arguments: ["form", "submit", "result"]) func registeredFields(type: String) throws {
        let fault = FormFault.Rule.unregisteredField(formType: "urn:xmpp:mam:2")
        let form = try Self.form(Self.mam + Self.fieldsOfMAM, type: type)
        #expect(form.faults(registry: .standard) == [Fault("mine", fault)])
        #expect(try Self.form(Self.hidden + Self.fieldsOfMAM, type: type).faults(registry: .standard) == [])
        let table = try Self.form(Self.mam + "<reported><field var='y'/></reported>", type: "result")
        #expect(table.faults(registry: .standard) == [Fault("y", fault)])
        var registry = FormRegistry.standard
        registry.register("urn:xmpp:mam:2", ["mine": .textSingle])
        registry.register("u", ["a": .boolean])
        #expect(form.faults(registry: registry) == [])
        #expect(
            try Self.form(Self.hidden + "<field var='b'/>", type: "submit").faults(registry: registry)
                == [Fault("b", .unregisteredField(formType: "u"))])
    }

    /// The recorded forms of a real server have no faults, even those with its own datatypes.
    @Test func recordedForms() throws {
        let configurations = try CorpusForms.all.compactMap { DataForm($0) }.filter { form in
            form.fields.contains { $0.validation?.datatype == "pubsub:integer-or-max" }
        }
        #expect(!configurations.isEmpty && configurations.allSatisfy { $0.faults == [] && $0.problems() == [] })
    }

    @Test(arguments: [
        (Fault(nil, .unknownType(nil)), "The form has no type: expected form, submit, cancel or result."),
        (Fault(nil, .repeatedElement("title")), "There are several elements <title/>: expected one; the first counts."),
        (
            Fault("a", .repeatedElement("desc")),
            "There are several elements <desc/> in the field 'a': expected one; the first counts."
        ),
        (
            Fault("a", .repeatedOption(FieldOption("1", label: "x"))),
            "The field 'a' has several options 'x': expected different values and labels; the first counts."
        ),
        (
            Fault("a", .incompleteItem(0)),
            "The item 1 lacks the field 'a' of the header: expected all of them; it is shown as empty."
        ),
        (
            Fault("a", .unknownColumn(item: 1)),
            "The item 2 has a field 'a' that the header lacks: expected none; it is not shown."
        ),
        (Fault("a", .repeatedReference), "The layout refers to the field 'a' more than once: the first counts."),
        (Fault(nil, .repeatedReference), "The layout refers to the table more than once: the first counts."),
        (
            Fault("a", .wrongBounds(min: nil, max: "\u{1B}")),
            "The range of the field 'a',  to \u{FFFD}, is invalid: expected values of the datatype, the lower first; it is ignored."
        ),
        (
            Fault(nil, .severalValues(.boolean)),
            "The field without name of type boolean has several values: expected one; the first counts."
        ), (Fault("\u{202E}", .repeatedField), "There are several fields '\u{FFFD}': expected one; the first counts."),
    ])
    func sentences(fault: FormFault, sentence: String) {
        #expect(fault.description == sentence)
    }

    // MARK: Repairs

    private static let wrong = """
        <title>1</title><title>2</title><l:page><l:fieldref/><l:fieldref var='a'/></l:page>\
        <field var='a' type='list-multi'><v:validate kept='2'><v:basic/><v:open/><v:list-range min='x' max='3'/></v:validate>\
        <option><value>o</value><value>p</value></option><option label='none'/></field>\
        <field var='m'><m:media height='tall' kept='3'><m:uri type='a/b'>c</m:uri></m:media></field>
        """

    private static let height = FormFault.Rule.wrongMediaSize(attribute: "height", value: "tall")
    private static let rules: Set<FormFault.Rule> = [
        .repeatedElement("title"), .namelessReference, .severalMethods, .wrongListRange, .optionValues(count: 2),
        .optionValues(count: 0), height,
    ]

    /// Changes, each with the faults that it ends. Changes elsewhere repair nothing.
    private static let repairs: [(Set<FormFault.Rule>, @Sendable (inout DataForm) -> Void)] = [
        ([.repeatedElement("title")], { $0.title = "3" }), ([.repeatedElement("title")], { $0.title = nil }),
        ([.namelessReference], { $0.pages[0].parts.append(.field("m")) }), ([.namelessReference], { $0.pages = [] }),
        ([.severalMethods], { $0.fields[0].validation?.method = .open }),
        ([.severalMethods], { $0.fields[0].validation?.method = .regex("o|p") }),
        ([.wrongListRange], { $0.fields[0].validation?.listRange?.min = 1 }),
        ([.severalMethods, .wrongListRange], { $0.fields[0].validation = nil }),
        ([.optionValues(count: 2), .optionValues(count: 0)], { $0.fields[0].options = ["q", "r"] }),
        ([.optionValues(count: 0)], { $0.fields[0].options.append("q") }),
        ([height], { $0.fields[1].media?.height = 5 }),
        ([], { $0["a"] = "o" }), ([], { $0.instructions = ["i"] }),
    ]

    @Test func eachRepairEndsItsFault() throws {
        for (index, (ended, repair)) in Self.repairs.enumerated() {
            var form = try Self.form(Self.wrong)
            #expect(Set(form.faults.map(\.rule)) == Self.rules)
            repair(&form)
            var expected = Self.rules.subtracting(ended)
            // A list may not have this method at all.
            if case .regex = form.fields[0].validation?.method { expected.insert(.unsuitedMethod("regex", .listMulti)) }
            #expect(Set(form.faults.map(\.rule)) == expected, "repair \(index)")
            // The written form has the same values.
            let read = try #require(DataForm(form.element()))
            #expect(read == form && read.faults == form.faults, "repair \(index)")
        }
        // Without the element, only the properties remain. Text that XML cannot hold does not change the faults.
        var form = try Self.form(Self.wrong)
        form.title = "\u{0}"
        #expect(Set(form.faults.map(\.rule)) == Self.rules)
        form = try Self.form(Self.wrong)
        form.forgetElement()
        #expect(try form.faults == [] && form == Self.form(Self.wrong) && DataForm(form.element()) == form)
        #expect(try !form.element().description.contains("kept"))
    }
}
