// Forms that break the rules of the specifications: the fault of each, and its effect on reading.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FormFaultTests {
    private func faults(
        _ content: String, type: String = "type='form'", _ attributes: String = "", registry: FormRegistry? = nil
    ) throws -> [String] {
        let form = try #require(
            DataForm(
                parse(
                    """
                    <x xmlns='jabber:x:data' xmlns:v='http://jabber.org/protocol/xdata-validate' \
                    xmlns:l='http://jabber.org/protocol/xdata-layout' \(type) \(attributes)>\(content)</x>
                    """)))
        return (registry.map(form.faults) ?? form.faults).map(\.description)
    }

    @Test func goodForms() throws {
        #expect(try faults("") == [])
        #expect(try faults("", type: "type='cancel'") == [])
        #expect(
            try faults(
                """
                <title>T</title><instructions>1</instructions><instructions>2</instructions>\
                <l:page><l:fieldref var='a'/><l:reportedref/><l:section><l:fieldref var='b'/></l:section></l:page>\
                <field var='FORM_TYPE' type='hidden'><value>u</value></field><field type='fixed'><value>Read!</value></field>\
                <field var='a' type='list-multi'><v:validate datatype='xs:byte'><v:open/>\
                <v:list-range min='1'/></v:validate><option label='1'><value>1</value></option><value>1</value><value>2</value>\
                </field><field var='b' type='text-single'><v:validate><v:regex>a+</v:regex></v:validate></field>
                """) == [])
    }

    @Test func rulesOfXEP0004() throws {
        #expect(try faults("", type: "") == ["The form has no type: expected form, submit, cancel or result."])
        #expect(
            try faults("", type: "type='order'")
                == ["The form's type is 'order': expected form, submit, cancel or result."])
        #expect(
            try faults("<field type='boolean'/><field type='fixed'/>")
                == ["A field has no name: expected the attribute 'var' on all that are not fixed; it is not submitted."]
        )
        #expect(
            try faults("<field var='a'/><field var='b'/><field var='a'/>")
                == ["There are several fields 'a': expected one; the first counts."])
        #expect(
            try faults("<field var='a' type='select-single'/>")
                == ["The field 'a' has the type 'select-single', which is unknown: it is read as text-single."])
        #expect(
            try faults("<field var='a' type='boolean'><value>1</value><value>0</value></field>")
                == ["The field 'a' of type boolean has several values: expected one; the first counts."])
        for value in ["maybe", "True", " 1", ""] {
            #expect(
                try faults("<field var='a' type='boolean'><value>\(value)</value></field>") == [
                    "The field 'a' of type boolean has the value '\(value)': expected 0, 1, false or true; "
                        + "it is shown as written."
                ])
        }
        #expect(
            try faults("<field var='a' type='text-single'><option><value>1</value></option></field>")
                == ["The field 'a' of type text-single has options: expected them in lists only; they are ignored."])
        let option = { (label: String, value: String) in "<option label='\(label)'><value>\(value)</value></option>" }
        for options in [option("x", "1") + option("x", "2"), option("y", "1") + option("x", "1")] {
            #expect(
                try faults("<field var='a' type='list-single'>\(options)</field>")
                    == [
                        "The field 'a' has several options 'x': expected different values and labels; the first counts."
                    ])
        }
        #expect(
            try faults("<field var='a' type='list-single'><option label='x'/></field>")
                == ["The field 'a' has an option without value: expected one; the option is left out."])
        #expect(
            try faults("<field var='a' type='list-single'><option><value>1</value><value>2</value></option></field>")
                == ["The field 'a' has an option with 2 values: expected one; the first counts."])
        #expect(
            try faults("<field var='a'/>", type: "type='cancel'")
                == ["A form of type cancel has fields: expected none; they are ignored."])
        #expect(
            try faults("<field var='a'><desc>1</desc><desc>2</desc><v:validate/><v:validate/></field>")
                == ["desc", "validate"].map {
                    "There are several elements <\($0)/> in the field 'a': expected one; the first counts."
                })
        #expect(
            try faults("<title>1</title><title>2</title>")
                == ["There are several elements <title/>: expected one; the first counts."])
    }

    @Test func tables() throws {
        let header = "<reported><field var='a'/><field var='b'/></reported>"
        #expect(
            try faults(header + "<item><field var='a'/><field var='b'/></item>", type: "type='result'") == [])
        #expect(
            try faults(
                header + "<item><field var='a'/></item><item><field var='b'/><field var='c'/><field var='a'/></item>",
                type: "type='result'")
                == [
                    "The item 1 lacks the field 'b' of the header: expected all of them; it is shown as empty.",
                    "The item 2 has a field 'c' that the header lacks: expected none; it is not shown.",
                ])
        #expect(
            try faults(header + header, type: "type='result'")
                == ["There are several elements <reported/>: expected one; the first counts."])
        #expect(
            try faults("<item><field var='a'/></item><item><field var='b'/></item>", type: "type='result'")
                == [
                    "There are items, but no <reported/>: expected a header that describes their fields; "
                        + "each field is read as written."
                ])
        #expect(
            try faults("<reported/>", type: "type='result'")
                == ["The header <reported/> has no fields: expected at least one."])
        // A FORM_TYPE in an item does not count as a column.
        #expect(
            try faults(
                "<reported><field var='a'/></reported><item><field var='FORM_TYPE'/><field var='a'/></item>",
                type: "type='result'") == [])
    }

    /// Tables in places that XEP-0004 §3.4 does not allow.
    @Test func misplacedTables() throws {
        let header = "<reported><field var='a'/></reported>"
        let item = "<item><field var='a'/></item>"
        #expect(
            try faults(item + header + item, type: "type='result'") == [
                "The header <reported/> comes after an item: expected it before all of them; it counts nevertheless."
            ])
        #expect(
            try faults("<reported><field var='a'><value/></field></reported>" + item, type: "type='result'") == [
                "The field 'a' of the header has a value: expected none; it is not shown."
            ])
        let formType = "<field var='FORM_TYPE' type='hidden'><value>u</value></field>"
        #expect(try faults(formType + header + item, type: "type='result'") == [])
        #expect(
            try faults(formType + "<field var='b'/><field var='c'/>" + header, type: "type='result'") == [
                "The field 'b' is beside a table: expected none but FORM_TYPE; it is a field of the form itself."
            ])
        for type in ["form", "submit", "cancel"] {
            for table in [header, header + item] {
                #expect(
                    try faults(table, type: "type='\(type)'") == [
                        "A form of type \(type) has a table: expected <reported/> and <item/> in forms of type result only; "
                            + "it is shown nevertheless."
                    ])
            }
        }
    }

    @Test func requiredIsEmpty() throws {
        let fault = "The element <required/> of the field 'a' is not empty: expected nothing in it; it is ignored."
        for content in ["yes", "<value/>"] {
            #expect(try faults("<field var='a'><required>\(content)</required></field>") == [fault])
        }
        #expect(try faults("<field var='a'><required></required></field>") == [])
    }

    /// The recorded forms of a real server have no faults, even those with its own datatypes.
    @Test func recordedForms() throws {
        let configurations = try CorpusForms.all.compactMap { DataForm($0) }.filter { form in
            form.fields.contains { $0.validation?.datatype == "pubsub:integer-or-max" }
        }
        #expect(!configurations.isEmpty)
        for form in configurations {
            #expect(form.faults == [])
            #expect(form.problems() == [])
        }
    }

    @Test func rulesOfXEP0068() throws {
        let field = { (attributes: String, values: String) in "<field var='FORM_TYPE' \(attributes)>\(values)</field>" }
        let several = "There are several values of FORM_TYPE: expected one; the first counts."
        let visible =
            "The field FORM_TYPE is not hidden: expected type='hidden' in a form or result; it is a field like any other."
        let one = "<value>u</value>"
        #expect(try faults(field("type='hidden'", one)) == [])
        #expect(
            try faults(field("type='hidden'", "")) == [
                "The field FORM_TYPE has no value: expected one; it is ignored."
            ])
        #expect(try faults(field("type='hidden'", one) + field("type='hidden'", one)) == [several])
        #expect(try faults(field("type='hidden'", one + "<value>v</value>")) == [several])
        #expect(try faults(field("", one)) == [visible])
        #expect(try faults(field("type='text-single'", one), type: "type='result'") == [visible])
        #expect(try faults(field("", one), type: "type='submit'") == [])
        #expect(try faults(field("type='text-single'", one), type: "type='submit'") == [])
    }

    /// The fields of a registered FORM_TYPE must be registered, or mark themselves by name as unregistered.
    @Test func registeredFields() throws {
        let formType = { (name: String) in "<field var='FORM_TYPE' type='hidden'><value>\(name)</value></field>" }
        let fields = """
            <field var='with'/><field var='x-old'/><field var='{urn:own}new'/><field var='mine'/><field type='fixed'/>\
            <field var='note' type='fixed'/>
            """
        for type in ["form", "submit", "result"] {
            #expect(
                try faults(formType("urn:xmpp:mam:2") + fields, type: "type='\(type)'", registry: .standard) == [
                    "The field 'mine' is not registered for 'urn:xmpp:mam:2': expected a registered name, or one in "
                        + "Clark notation, {namespace}name; its type is the one that is written."
                ])
        }
        #expect(
            try faults(
                formType("urn:xmpp:mam:2") + "<reported><field var='y'/></reported>", type: "type='result'",
                registry: .standard
            ).count == 1)
        #expect(try faults(formType("urn:example:own") + fields, registry: .standard) == [])
        // Without a registry, this is not a fault: services may define their own fields.
        #expect(try faults(formType("urn:xmpp:mam:2") + fields) == [])
        var registry = FormRegistry.standard
        registry.register("urn:xmpp:mam:2", ["mine": .textSingle])
        registry.register("urn:example:own", ["a": .boolean])
        #expect(DataForm(.submit, formType: "urn:xmpp:mam:2", ["mine": "1"]).faults(registry: registry) == [])
        #expect(
            DataForm(.submit, formType: "urn:example:own", ["b": "1"]).faults(registry: registry).map(\.rule)
                == [.unregisteredField(formType: "urn:example:own")])
    }

    @Test func rulesOfXEP0122() throws {
        func validated(_ content: String, type: String = "text-single", datatype: String = "xs:integer") throws
            -> [String]
        {
            try faults(
                "<field var='a' type='\(type)'><v:validate datatype='\(datatype)'>\(content)</v:validate></field>")
        }
        #expect(try validated("<v:basic/>") == [])
        #expect(
            try validated("<v:basic/><v:regex>a</v:regex>")
                == ["The field 'a' has several methods of validation: expected one; the first counts."])
        #expect(
            try validated("<v:range min='1'/>", datatype: "xs:string")
                == ["The field 'a' has a range, but the values of xs:string have no order: it is ignored."])
        // The library cannot know whether the values of a foreign datatype have an order.
        for datatype in ["x:own", "pubsub:integer-or-max", "xs2:integer", "é:ü"] {
            #expect(try validated("<v:range min='1'/>", datatype: datatype) == [], "\(datatype)")
        }
        for datatype in ["xs:token", "xs:NMTOKENS", "xs:ID"] { #expect(try validated("", datatype: datatype) == []) }
        for datatype in ["", "integer", ":integer", "x:", "xs:", "xs:Integer", "xs:xs:integer", "XS"] {
            #expect(
                try validated("<v:basic/>", datatype: datatype) == [
                    "The field 'a' has the datatype '\(datatype)': expected one of XML Schema such as xs:integer, or one "
                        + "with another prefix; its values are read as text."
                ])
        }
        for bounds in ["min='2' max='1'", "min='x' max='1'"] {
            let problem = try validated("<v:range \(bounds)/>")
            #expect(problem.count == 1)
            #expect(
                problem[0].hasSuffix("is invalid: expected values of the datatype, the lower first; it is ignored.")
            )
        }
        #expect(try validated("<v:range/>") == [])
        #expect(
            try validated("<v:regex>a(</v:regex>", datatype: "xs:string")
                == [
                    "The pattern a( of the field 'a' is not a POSIX extended regular expression: a '(' is not closed; it is ignored."
                ])
        // The repair is at the end.
        #expect(
            try validated("<v:regex>a{,3}</v:regex>", datatype: "xs:string")
                .map { $0.hasSuffix("write '{0,' for a repetition, or '\\{' for the character; it is ignored.") } == [
                    true
                ])
        #expect(
            try validated("<v:list-range min='1'/>")
                == [
                    "The field 'a' of type text-single has bounds for the number of its values: "
                        + "expected them in list-multi only; they are ignored."
                ])
        #expect(try validated("<v:list-range min=' 1 ' max='2'/>", type: "list-multi") == [])
        #expect(
            try validated("<v:list-range min='1'/><v:list-range/>", type: "list-multi")
                == ["There are several elements <list-range/> in the field 'a': expected one; the first counts."])
        let one = "<option><value>1</value></option>"
        let reaching = { (method: String) in
            try faults(
                "<field var='a' type='list-multi'><v:validate>\(method)<v:list-range min='2'/></v:validate>\(one)</field>"
            )
        }
        #expect(
            try reaching("") == [
                "The field 'a' requires at least 2 values and offers 1: expected a minimum that can be reached; it is "
                    + "ignored."
            ])
        // These lists also accept other values.
        #expect(try reaching("<v:open/>") == [])
        for bounds in ["min='2' max='1'", "min='0'", "min='-1'", "max='x'", "min=''", "min='0' max='x'"] {
            #expect(
                try validated("<v:list-range \(bounds)/>", type: "list-multi")
                    == [
                        "The bounds for the number of values of the field 'a' are invalid: "
                            + "expected positive whole numbers, the lower first; they are ignored."
                    ], "\(bounds)")
        }
        // Unknown methods count as basic, and unknown datatypes as text: they are not faults.
        #expect(try validated("<v:magic/>", datatype: "x:own") == [])
    }

    /// The schema's unsigned short (XEP-0221 §8).
    @Test func sizesOfMedia() throws {
        let uris = [MediaURI("cid:1", type: "image/png")]
        func sizes(_ media: FieldMedia) throws -> [FormFault.Rule] {
            var field = FormField("a", .textSingle)
            field.media = media
            let form = DataForm(.form, fields: [field])
            // Reading drops the size, and reports its text.
            #expect(try DataForm(form.element())?.faults == form.faults)
            return form.faults.map(\.rule)
        }
        #expect(try sizes(FieldMedia(height: 0, width: 65_535, uris: uris)) == [])
        #expect(
            try sizes(FieldMedia(height: -1, width: 65_536, uris: uris)) == [
                .wrongMediaSize(attribute: "height", value: "-1"), .wrongMediaSize(attribute: "width", value: "65536"),
            ])
    }

    @Test func rulesOfXEP0141() throws {
        let fields = "<field var='a'/><field var='b'/>"
        #expect(
            try faults("<l:page><l:fieldref var='c'/></l:page>" + fields)
                == ["The layout refers to the field 'c', which the form lacks: it is left out."])
        #expect(
            try faults(
                "<l:page><l:fieldref var='a'/></l:page><l:page><l:section><l:fieldref var='a'/></l:section></l:page>"
                    + fields)
                == ["The layout refers to the field 'a' more than once: the first counts."])
        #expect(
            try faults("<l:page><l:reportedref/><l:reportedref/></l:page>" + fields)
                == ["The layout refers to the table more than once: the first counts."])
        #expect(
            try faults(
                "<l:page><l:fieldref/><l:section><l:fieldref var='a'/><l:fieldref/></l:section></l:page>" + fields)
                == Array(
                    repeating:
                        "The layout has a reference without 'var': expected the name of a field; it is left out.",
                    count: 2))
        #expect(
            try faults("<l:page><l:section label='S'><l:text>t</l:text></l:section></l:page>" + fields)
                == [
                    "The section 'S' refers to nothing: expected a reference to a field or the table; it is shown without."
                ])
        let depth = FormSection.maximumDepth
        func nested(_ depth: Int) -> String {
            "<l:page>" + String(repeating: "<l:section>", count: depth) + "<l:fieldref var='a'/>"
                + String(repeating: "</l:section>", count: depth) + "</l:page>" + fields
        }
        #expect(try faults(nested(depth)) == [])
        #expect(
            try faults(nested(depth + 1)).contains(
                "Sections are nested more than 16 deep: expected fewer; deeper ones are left out."))
    }

    @Test func rulesOfXEP0221() throws {
        let media = { (content: String) in
            "<field var='a'><media xmlns='urn:xmpp:media-element'>\(content)</media></field>"
        }
        #expect(try faults(media("<uri type='image/png'>cid:x</uri>")) == [])
        #expect(
            try faults(media("<uri>cid:x</uri>"))
                == ["A medium of the field 'a' has an address without type: expected a MIME type."])
        #expect(try faults(media("<uri type='audio/ogg; codecs=speex'>cid:x</uri><uri type=' a/b '>c</uri>")) == [])
        for type in ["png", "image/", "/png", "image/png/x", "", "im age/png"] {
            #expect(
                try faults(media("<uri type='\(type)'>cid:x</uri>"))
                    == ["A medium of the field 'a' has the type '\(type)': expected a MIME type, such as image/png."])
        }
        #expect(
            try faults(media(""))
                == ["A medium of the field 'a' has no address: expected an element <uri/>; there is nothing to show."])
        let sized = { (size: String) in
            "<field var='a'><media xmlns='urn:xmpp:media-element' \(size)><uri type='a/b'>c</uri></media></field>"
        }
        #expect(try faults(sized("height='80' width=' 65535 '")) == [])
        for size in ["", "-1", "80px", "65536", "9999999999999999999999", "1.5"] {
            #expect(
                try faults(sized("height='\(size)'"))
                    == [
                        "The height '\(size)' of a medium of the field 'a' is invalid: "
                            + "expected a whole number of pixels up to 65535; it is ignored."
                    ])
        }
        let form = try #require(DataForm(parse("<x xmlns='jabber:x:data'>\(sized("height=' 8 ' width='x'"))</x>")))
        #expect(form.fields[0].media?.height == 8 && form.fields[0].media?.width == nil)
    }

    /// Faults also describe a form that the app makes.
    @Test func formsOfOnesOwn() {
        let form = DataForm(
            .form, formType: "u",
            fields: [
                FormField("FORM_TYPE"), FormField(nil, .boolean), FormField("\u{202E}", .boolean, values: ["1", "0"]),
            ])
        #expect(form.faults.map(\.rule) == [.severalFormTypes, .nameless, .severalValues(.boolean)])
        #expect(form.faults[2].description.contains("'\u{FFFD}'"))
    }
}
