// The additions of other specifications to forms: layout (XEP-0141), validation (XEP-0122), media (XEP-0221), read and
// written.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FormDetailTests {
    private func field(_ content: String) throws -> FormField {
        try #require(FormField(parse("<field xmlns='jabber:x:data' var='f'>\(content)</field>")))
    }

    @Test func validation() throws {
        func validation(_ content: String, _ attributes: String = "") throws -> FieldValidation? {
            try field("<validate xmlns='http://jabber.org/protocol/xdata-validate' \(attributes)>\(content)</validate>")
                .validation
        }
        #expect(try field("").validation == nil)
        #expect(try validation("") == FieldValidation())
        #expect(try validation("", "datatype='xs:date'") == FieldValidation("xs:date"))
        #expect(try validation("<basic/>") == FieldValidation())
        #expect(try validation("<open/>") == FieldValidation(nil, .open))
        #expect(try validation("<range/>") == FieldValidation(nil, .range(min: nil, max: nil)))
        #expect(try validation("<range min='1' max=''/>") == FieldValidation(nil, .range(min: "1", max: "")))
        #expect(try validation("<regex> a </regex>") == FieldValidation(nil, .regex(" a ")))
        #expect(try validation("<list-range min='1' max='3'/>") == FieldValidation(listRange: .init(min: 1, max: 3)))
        #expect(try validation("<list-range/>") == FieldValidation(listRange: .init()))
        #expect(try validation("<list-range min='-1' max='x'/>") == FieldValidation(listRange: .init()))
        #expect(try validation("<list-range min='99999999999999999999'/>") == FieldValidation(listRange: .init()))
        // An unknown method is basic. Of several methods, the first known one counts.
        #expect(try validation("<magic/>") == FieldValidation())
        #expect(try validation("<magic/><open/><regex>a</regex>") == FieldValidation(nil, .open))
        #expect(try validation("<basic/><open/>") == FieldValidation())
        #expect(try validation("<open xmlns='u'/>") == FieldValidation())
        let all = FieldValidation("xs:int", .range(min: "1", max: nil), listRange: .init(max: 2))
        #expect(
            try FormField("f", validation: all).element().xmlString() == """
                <field xmlns='jabber:x:data' var='f'><validate xmlns='http://jabber.org/protocol/xdata-validate' datatype='xs:int'>\
                <range min='1'/><list-range max='2'/></validate></field>
                """)
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
        #expect(
            media
                == FieldMedia(
                    height: 80, width: 290,
                    uris: [
                        MediaURI("cid:sha1+a@bob.xmpp.org", type: "audio/ogg; codecs=speex"),
                        MediaURI("http://b", type: nil),
                    ]))
        #expect(try field("<media xmlns='urn:xmpp:media-element' height='tall' width=''/>").media == FieldMedia())
        #expect(try field("<media/>").media == nil)
        #expect(
            try FormField("f", media: FieldMedia(width: 1, uris: [MediaURI("u", type: "a/b")])).element().xmlString()
                == "<field xmlns='jabber:x:data' var='f'><media xmlns='urn:xmpp:media-element' width='1'>"
                + "<uri type='a/b'>u</uri></media></field>")
    }

    @Test func layout() throws {
        let xml = """
            <x xmlns='jabber:x:data' type='form'><page xmlns='http://jabber.org/protocol/xdata-layout' label='P'><text>T</text>\
            <fieldref var='a'/><section label='S'><section><reportedref/></section><fieldref var='b'/></section></page>\
            <page xmlns='http://jabber.org/protocol/xdata-layout'/></x>
            """
        let form = try #require(DataForm(parse(xml)))
        let inner = LayoutPart.section(FormSection(parts: [.table]))
        #expect(
            form.pages == [
                FormSection(
                    label: "P",
                    parts: [.text("T"), .field("a"), .section(FormSection(label: "S", parts: [inner, .field("b")]))]),
                FormSection(),
            ])
        #expect(try form.newElement().xmlString() == xml)
        #expect(try parse("<x xmlns='jabber:x:data'><page/></x>").children.count == 1)
    }

    /// Reading cuts off sections that nest too deeply.
    @Test func deepSections() throws {
        let depth = 200
        let sections =
            String(repeating: "<section>", count: depth) + "<fieldref var='a'/>"
            + String(repeating: "</section>", count: depth)
        let form = try #require(
            DataForm(
                parse(
                    "<x xmlns='jabber:x:data'><page xmlns='http://jabber.org/protocol/xdata-layout'>\(sections)</page></x>"
                )))
        var parts = form.pages[0].parts
        var found = 0
        while case .section(let section)? = parts.first {
            found += 1
            parts = section.parts
        }
        #expect(found == FormSection.maximumDepth)
        #expect(try form.element().description.contains("<fieldref var='a'/>"))
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
        #expect(table.arrangement() == [ArrangedPage(label: nil, parts: [.table])])
        #expect(DataForm(.result, items: [["a": "1"]]).arrangement() == [ArrangedPage(label: nil, parts: [.table])])
        #expect(DataForm(.cancel).arrangement() == [ArrangedPage(label: nil, parts: [])])
    }
}
