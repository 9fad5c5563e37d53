// The additions of other specifications to forms: layout (XEP-0141), validation (XEP-0122), media (XEP-0221), read and
// written.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FormDetailTests {
    private func field(_ content: String) throws -> FormField {
        try #require(FormField(parse("<field xmlns='jabber:x:data' var='f'>\(content)</field>")))
    }

    @Test(arguments: [
        ("", FieldValidation()), ("<basic/>", FieldValidation()), ("<open/>", FieldValidation(nil, .open)),
        ("<range/>", FieldValidation(nil, .range(min: nil, max: nil))),
        ("<range min='1' max=''/>", FieldValidation(nil, .range(min: "1", max: ""))),
        ("<regex> a </regex>", FieldValidation(nil, .regex(" a "))),
        ("<list-range min='1' max='3'/>", FieldValidation(listRange: .init(min: 1, max: 3))),
        ("<list-range/>", FieldValidation(listRange: .init())),
        ("<list-range min='-1' max='x'/>", FieldValidation(listRange: .init())),
        ("<list-range min='99999999999999999999'/>", FieldValidation(listRange: .init())),
        // An unknown method is basic. Of several methods, the first known one counts.
        ("<magic/>", FieldValidation()), ("<magic/><open/><regex>a</regex>", FieldValidation(nil, .open)),
        ("<basic/><open/>", FieldValidation()), ("<open xmlns='u'/>", FieldValidation()),
    ])
    func validation(content: String, expected: FieldValidation) throws {
        let xml = "<validate xmlns='http://jabber.org/protocol/xdata-validate'>\(content)</validate>"
        #expect(try field(xml).validation == expected)
        let typed = try field(xml.replacing("<validate", with: "<validate datatype='xs:date'")).validation
        #expect(typed == FieldValidation("xs:date", expected.method, listRange: expected.listRange))
        #expect(try FormField(FormField("f", validation: expected).element())?.validation == expected)
    }

    @Test func media() throws {
        let media = try field(
            """
            <media xmlns='urn:xmpp:media-element' height='80' width='290'>
              <uri type='audio/ogg; codecs=speex'>
                cid:sha1+a@bob.xmpp.org
              </uri><uri>http://b</uri><other/>
            </media><media xmlns='urn:xmpp:media-element'/>
            """
        ).media
        let uris = [
            MediaURI("cid:sha1+a@bob.xmpp.org", type: "audio/ogg; codecs=speex"), MediaURI("http://b", type: nil),
        ]
        #expect(media == FieldMedia(height: 80, width: 290, uris: uris))
        #expect(try field("<media xmlns='urn:xmpp:media-element' height='tall' width=''/>").media == FieldMedia())
        #expect(try field("<media/>").media == nil && field("").validation == nil)
        let all = FieldValidation("xs:int", .range(min: "1", max: nil), listRange: .init(max: 2))
        let written = FormField("f", media: FieldMedia(width: 1, uris: [MediaURI("u", type: "a/b")]), validation: all)
        #expect(
            try written.element().xmlString() == """
                <field xmlns='jabber:x:data' var='f'><validate xmlns='http://jabber.org/protocol/xdata-validate' datatype='xs:int'>\
                <range min='1'/><list-range max='2'/></validate><media xmlns='urn:xmpp:media-element' width='1'>\
                <uri type='a/b'>u</uri></media></field>
                """)
    }

    @Test func layout() throws {
        let xml = """
            <x xmlns='jabber:x:data' type='form'><page xmlns='http://jabber.org/protocol/xdata-layout' label='P'><text>T</text>\
            <fieldref var='a'/><section label='S'><section><reportedref/></section><fieldref var='b'/></section></page>\
            <page xmlns='http://jabber.org/protocol/xdata-layout'/></x>
            """
        let form = try #require(DataForm(parse(xml)))
        let inner = LayoutPart.section(FormSection(parts: [.table]))
        let section = LayoutPart.section(FormSection(label: "S", parts: [inner, .field("b")]))
        #expect(form.pages == [FormSection(label: "P", parts: [.text("T"), .field("a"), section]), FormSection()])
        #expect(try form.newElement().xmlString() == xml)
        // Reading cuts off sections that nest too deeply, and writing keeps them.
        let sections =
            String(repeating: "<section>", count: 200) + "<fieldref/>" + String(repeating: "</section>", count: 200)
        let deep = try #require(
            DataForm(
                parse(
                    "<x xmlns='jabber:x:data'><page xmlns='http://jabber.org/protocol/xdata-layout'>\(sections)</page></x>"
                )))
        var (parts, found) = (deep.pages[0].parts, 0)
        while case .section(let section)? = parts.first { (parts, found) = (section.parts, found + 1) }
        #expect(found == FormSection.maximumDepth)
        #expect(try deep.element().description.contains("<fieldref/>"))
    }

    /// The place of every field: once, at its first reference; fields without one come last.
    @Test func arrangement() throws {
        let fields = [
            FormField("h", .hidden), FormField("a"), FormField("b"), FormField(nil, .fixed, values: ["F"]),
            FormField("c"),
        ]
        var form = DataForm(.form, formType: "u", fields: fields)
        #expect(form.arrangement() == [ArrangedPage(label: nil, parts: fields.dropFirst().map { .field($0) })])
        form.pages = [
            FormSection(
                label: "P",
                parts: [
                    .field("b"), .field("nothing"), .table, .field("h"),
                    .section(FormSection(label: "S", parts: [.field("b"), .text("t"), .field("a")])),
                ]),
            FormSection(label: "Q"),
        ]
        #expect(
            form.arrangement() == [
                ArrangedPage(
                    label: "P", parts: [.field(fields[2]), .section(label: "S", [.text("t"), .field(fields[1])])]),
                ArrangedPage(label: "Q", parts: []),
                ArrangedPage(label: nil, parts: [.field(fields[3]), .field(fields[4])]),
            ])
        let table = DataForm(.result, reported: [FormField("n")], pages: [FormSection(parts: [.table, .table])])
        for form in [table, DataForm(.result, items: [["a": "1"]])] {
            #expect(form.arrangement() == [ArrangedPage(label: nil, parts: [.table])])
        }
        #expect(DataForm(.cancel).arrangement() == [ArrangedPage(label: nil, parts: [])])
    }
}
