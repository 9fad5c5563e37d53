// Unknown content inside the additions of other specifications survives a change of that part.

import Testing
import XMLTree

@testable import DataForms

@Suite struct DetailPatchTests {
    /// Expects that a change of a form with this content gives a form with the expected content.
    private func expect(
        _ content: String, _ change: (inout DataForm) -> Void, gives expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func form(_ content: String) -> String {
            """
            <x xmlns='jabber:x:data' xmlns:v='http://jabber.org/protocol/xdata-validate' \
            xmlns:l='http://jabber.org/protocol/xdata-layout' xmlns:m='urn:xmpp:media-element' xmlns:u='urn:u' \
            type='form'>\(content)</x>
            """
        }
        var changed = try #require(DataForm(parse(form(content))))
        change(&changed)
        let written = try changed.element()
        #expect(try written == parse(form(expected)), sourceLocation: sourceLocation)
        #expect(DataForm(written) == changed, sourceLocation: sourceLocation)
    }

    private func field(_ content: String) -> String { "<field var='f'>\(content)</field>" }

    @Test func validation() throws {
        let validate = { (content: String, datatype: String) in
            self.field("<v:validate datatype='\(datatype)' u:a='1'> <u:hint/>\(content)</v:validate>")
        }
        let range = "<v:range min='1' max='2' u:b='2'><u:x/></v:range>"
        try expect(
            validate(range, "xs:int"), { $0.fields[0].validation?.datatype = "xs:byte" },
            gives: validate(range, "xs:byte"))
        try expect(
            validate(range, "xs:int"), { $0.fields[0].validation?.method = .range(min: "0", max: nil) },
            gives: validate("<v:range min='0' u:b='2'><u:x/></v:range>", "xs:int"))
        try expect(
            validate(range, "xs:int"), { $0.fields[0].validation?.method = .regex("[1-2]") },
            gives: validate("<v:regex>[1-2]</v:regex>", "xs:int"))
        try expect(
            validate("<v:regex u:b='1'>a</v:regex>", "xs:int"), { $0.fields[0].validation?.method = .regex("b") },
            gives: validate("<v:regex u:b='1'>b</v:regex>", "xs:int"))
        // An unknown method stays next to the new one.
        try expect(
            validate("<v:magic/><v:list-range min='1' u:c='3'/>", "xs:int"),
            {
                $0.fields[0].validation?.method = .open
                $0.fields[0].validation?.listRange?.max = 4
            }, gives: validate("<v:magic/><v:open/><v:list-range min='1' max='4' u:c='3'/>", "xs:int"))
        try expect(
            validate("<v:basic/>", "xs:int"), { $0.fields[0].validation?.listRange = .init(min: 1) },
            gives: validate("<v:basic/><v:list-range min='1'/>", "xs:int"))
        try expect(
            validate("<v:open/><v:list-range min='1'/>", "xs:int"),
            { $0.fields[0].validation = FieldValidation("xs:int") }, gives: validate("<v:basic/>", "xs:int"))
    }

    @Test func media() throws {
        let media = { (attributes: String, content: String) in
            self.field("<m:media \(attributes) alt='A'><u:credits/>\(content)</m:media>")
        }
        let (image, sound) = (
            "<m:uri type='image/png' u:s='1'> a </m:uri>", "<m:uri type='audio/ogg' u:s='2'>b</m:uri>"
        )
        try expect(
            media("height='1' width='2'", image + sound), { $0.fields[0].media?.height = 3 },
            gives: media("height='3' width='2'", image + sound))
        try expect(
            media("width=' 2 '", image + sound), { $0.fields[0].media?.uris.remove(at: 0) },
            gives: media("width=' 2 '", sound))
        try expect(
            media("", image + sound),
            {
                $0.fields[0].media?.uris[0].uri = "c"
                $0.fields[0].media?.uris.append(MediaURI("d", type: "a/b"))
            },
            gives: media("", image.replacing(" a ", with: "c") + sound + "<m:uri type='a/b'>d</m:uri>"))
    }

    @Test func layout() throws {
        let fields = "<field var='a'/><field var='b'/>"
        let page = { (attributes: String, content: String) in
            "<l:page u:p='1' \(attributes)><u:style/>\(content)</l:page>" + fields
        }
        let section =
            "<l:section u:s='1' label='S'><u:fold/><l:text u:t='1'>t</l:text><l:fieldref var='b' u:r='1'/></l:section>"
        try expect(page("label='P'", section), { $0.pages[0].label = nil }, gives: page("", section))
        try expect(
            page("", section),
            {
                $0.pages[0].parts = [
                    .field("a"), .section(FormSection(label: "T", parts: [.text("u"), .field("b"), .table])),
                ]
            },
            gives: page(
                "",
                "<l:fieldref var='a'/>"
                    + section.replacing("'S'", with: "'T'").replacing(">t<", with: ">u<").replacing(
                        "</l:section>", with: "<l:reportedref/></l:section>")))
        // A reference to another field is a new element; a canonical equivalent changes the attribute.
        try expect(
            page("", "<l:fieldref var='b' u:r='1'/>"), { $0.pages[0].parts = [.field("a"), .field("b")] },
            gives: page("", "<l:fieldref var='a'/><l:fieldref var='b' u:r='1'/>"))
        try expect(
            page("", "<l:fieldref var='\u{E9}' u:r='1'/>"), { $0.pages[0].parts = [.field("e\u{301}")] },
            gives: page("", "<l:fieldref var='e\u{301}' u:r='1'/>"))
        try expect(
            page("", "<l:reportedref u:r='1'/>" + section),
            { form in
                form.pages[0].parts.removeLast()
                form.pages.append(FormSection(parts: [.field("a")]))
            },
            gives: page("", "<l:reportedref u:r='1'/>").replacing(
                fields, with: "<l:page><l:fieldref var='a'/></l:page>" + fields))
    }
}
