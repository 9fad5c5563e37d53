// Forms that break the rules of the specifications: what is said of each, and how they are read all the same.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FormFaultTests {
    private func faults(_ content: String, type: String = "type='form'", _ attributes: String = "") throws -> [String] {
        let form = try #require(
            DataForm(
                parse(
                    """
                    <x xmlns='jabber:x:data' xmlns:v='http://jabber.org/protocol/xdata-validate' \
                    xmlns:l='http://jabber.org/protocol/xdata-layout' \(type) \(attributes)>\(content)</x>
                    """)))
        return form.faults.map(\.description)
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
                <field var='a' type='list-multi'><v:validate datatype='xs:byte'><v:range min='1' max='2'/>\
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
                == ["The field 'a' has the type 'select-single', which is not known: it is read as text-single."])
        #expect(
            try faults("<field var='a' type='boolean'><value>1</value><value>0</value></field>")
                == ["The field 'a' of type boolean has several values: expected one; the first counts."])
        #expect(
            try faults("<field var='a' type='text-single'><option><value>1</value></option></field>")
                == ["The field 'a' of type text-single has options: expected them in lists only; they do not count."])
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
                == ["A form of type cancel has fields: expected none; they do not count."])
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
        // Without a header nothing is lacking; and a FORM_TYPE in an item is none of its columns.
        #expect(try faults("<item><field var='a'/></item><item><field var='b'/></item>", type: "type='result'") == [])
        #expect(
            try faults(
                "<reported><field var='a'/></reported><item><field var='FORM_TYPE'/><field var='a'/></item>",
                type: "type='result'") == [])
    }

    @Test func rulesOfXEP0068() throws {
        let field = { (attributes: String, values: String) in "<field var='FORM_TYPE' \(attributes)>\(values)</field>" }
        let several = "There are several values of FORM_TYPE: expected one; the first counts."
        let visible =
            "The field FORM_TYPE is not hidden: expected type='hidden' in a form or result; it is a field like any other."
        let one = "<value>u</value>"
        #expect(try faults(field("type='hidden'", one)) == [])
        #expect(try faults(field("type='hidden'", one) + field("type='hidden'", one)) == [several])
        #expect(try faults(field("type='hidden'", one + "<value>v</value>")) == [several])
        #expect(try faults(field("", one)) == [visible])
        #expect(try faults(field("type='text-single'", one), type: "type='result'") == [visible])
        #expect(try faults(field("", one), type: "type='submit'") == [])
        #expect(try faults(field("type='text-single'", one), type: "type='submit'") == [])
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
                == ["The field 'a' has a range, but the values of xs:string have no order: it does not count."])
        #expect(try validated("<v:range min='1'/>", datatype: "x:unknown").count == 1)
        for bounds in ["min='2' max='1'", "min='x' max='1'"] {
            let problem = try validated("<v:range \(bounds)/>")
            #expect(problem.count == 1)
            #expect(
                problem[0].hasSuffix("is none: expected values of the datatype, the lower first; it does not count."))
        }
        #expect(try validated("<v:range/>") == [])
        #expect(
            try validated("<v:regex>a(</v:regex>", datatype: "xs:string")
                == [
                    "The pattern a( of the field 'a' is no POSIX extended regular expression: a '(' is not closed; it does not count."
                ])
        #expect(
            try validated("<v:list-range min='1'/>")
                == [
                    "The field 'a' of type text-single has bounds for the number of its values: "
                        + "expected them in list-multi only; they do not count."
                ])
        for bounds in ["min='2' max='1'", "min='0'", "min='-1'", "max='x'", "min=''"] {
            #expect(
                try validated("<v:list-range \(bounds)/>", type: "list-multi")
                    == [
                        "The bounds for the number of values of the field 'a' are none: "
                            + "expected positive whole numbers, the lower first; what is wrong does not count."
                    ], "\(bounds)")
        }
        // Unknown methods are basic, and unknown datatypes text: nothing is wrong with them.
        #expect(try validated("<v:magic/>", datatype: "x:own") == [])
    }

    @Test func rulesOfXEP0141() throws {
        let fields = "<field var='a'/><field var='b'/>"
        #expect(
            try faults("<l:page><l:fieldref var='c'/></l:page>" + fields)
                == ["The layout refers to the field 'c', which there is not: it is left out."])
        #expect(
            try faults(
                "<l:page><l:fieldref var='a'/></l:page><l:page><l:section><l:fieldref var='a'/></l:section></l:page>"
                    + fields)
                == ["The layout refers to the field 'a' more than once: the first counts."])
        #expect(
            try faults("<l:page><l:reportedref/><l:reportedref/></l:page>" + fields)
                == ["The layout refers to the table more than once: the first counts."])
    }

    @Test func rulesOfXEP0221() throws {
        let media = { (content: String) in
            "<field var='a'><media xmlns='urn:xmpp:media-element'>\(content)</media></field>"
        }
        #expect(try faults(media("<uri type='image/png'>cid:x</uri>")) == [])
        #expect(
            try faults(media("<uri>cid:x</uri>"))
                == ["A medium of the field 'a' has an address without type: expected a MIME type."])
    }

    /// A form of one's own is looked over just the same.
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
