// Reading and writing a form preserves it, down to white space; a change affects only the changed part.

import TestSupport
import Testing
import XMLTree

@testable import DataForms

@Suite struct RoundTripTests {
    /// The library reads what the test reads, and writes every form as it was.
    @Test func everyFormOfTheCorpus() throws {
        #expect(try CorpusForms.all.count >= CorpusForms.expectedCount)
        for element in try CorpusForms.all {
            let (form, reading) = (try #require(DataForm(element)), FormReading(element))
            #expect(FormReading(form) == reading, "\(element)")
            #expect(try form.element() == element && form.element().parent == nil, "\(element)")
            // Reading a form from an editable tree copies it.
            #expect(try #require(DataForm(element.thaw())).element() == element)
            // Without a remembered element, writing keeps everything that the model has.
            #expect(try DataForm(form.newElement()) == form && FormReading(form.newElement()) == reading, "\(element)")
            for field in form.fields { #expect(try FormField(field.element()) == field) }
            // Writing includes the change and changes nothing else.
            var (changed, expected) = (form, reading)
            (changed.title, expected.title) = ("T", "T")
            let field = FormField("new", .textSingle, values: ["1", ""])
            changed.fields.append(field)
            expected.fields.append(FormReading.Field(field))
            #expect(try FormReading(changed.element()) == expected, "\(element)")
        }
    }

    @Test func unknownContentIsKept() throws {
        let xml = """
            <x xmlns='jabber:x:data' type='form' extra='1' xml:lang='en'> <!-- --><title xml:lang='de'>T<b/></title>
              <new xmlns='urn:n' a='1'>text<x xmlns='jabber:x:data'/></new><title>second</title>
              <field var='f' type='whatever' extra='2' label='L'> <desc/><desc>D</desc><required>not empty</required>
                <value lang='x'>v</value><option><value>o</value><value>p</value></option><option label='none'/>
                <future xmlns='urn:f'/><validate xmlns='http://jabber.org/protocol/xdata-validate' datatype='xs:int'>
                  <magic strength='9'/></validate></field>stray
              <reported><field var='f'/><hint/></reported><item k='v'><field var='f'/></item></x>
            """
        let element = try parse(xml)
        var form = try #require(DataForm(element))
        #expect(try form.element() == element)
        #expect(form.title == "T")
        #expect(form.extensions.map(\.name) == ["new"])
        #expect(form.fields[0].extensions.map(\.name) == ["future"])
        #expect(form.fields[0].options == ["o"])

        // Writing puts the change in its place and changes nothing else.
        form.fields[0].values = ["w"]
        form.fields[0].label = nil
        form.title = "U"
        // If only the first title changed, the second could become the first: the change removes it.
        let expected = xml.replacing(" label='L'", with: "").replacing(">v<", with: ">w<").replacing(
            ">T<b/>", with: ">U<b/>"
        ).replacing("<title>second</title>", with: "")
        #expect(try form.element() == Element(stanza: expected))
    }

    @Test func newElementsStandWhereTheyBelong() throws {
        var form = try #require(
            DataForm(parse("<x xmlns='jabber:x:data'><field var='a'/><item><field var='i'/></item><u xmlns='u'/></x>")))
        form.kind = .result
        form.title = "T"
        form.instructions = ["1", "2"]
        form.reported = [FormField("i")]
        form.fields.insert(FormField("z"), at: 0)
        form.fields[1].isRequired = true
        form.fields[1].description = "D"
        form.items.append(["i": "2"])
        #expect(
            try form.element().xmlString() == """
                <x xmlns='jabber:x:data' type='result'><title>T</title><instructions>1</instructions>\
                <instructions>2</instructions><field var='z'/><field var='a'><desc>D</desc><required/></field>\
                <reported><field var='i'/></reported><item><field var='i'/></item>\
                <item><field var='i'><value>2</value></field></item><u xmlns='u'/></x>
                """)
    }

    /// Removing an element that may occur once does not bring back a later one.
    @Test func removalIsFinal() throws {
        var form = try #require(
            DataForm(
                parse(
                    """
                    <x xmlns='jabber:x:data'><title>1</title><title>2</title><field var='f'><desc/><desc>1</desc><desc>2</desc>\
                    <required/><required/></field><reported/><reported><field var='f'/></reported></x>
                    """)))
        form.title = nil
        form.reported = nil
        form.fields[0].description = nil
        form.fields[0].isRequired = false
        #expect(try form.element().xmlString() == "<x xmlns='jabber:x:data'><field var='f'/></x>")
        // An empty description does not count, so writing adds another one next to it.
        var empty = try #require(FormField(parse("<field xmlns='jabber:x:data' var='f'><desc/></field>")))
        #expect(empty.description == nil)
        empty.description = "d"
        #expect(FormField(try empty.element()) == empty)
    }

    @Test func textThatXMLCannotHold() throws {
        var form = DataForm(.submit, formType: "urn:f", ["f": "\u{0}"])
        #expect(throws: XMLTreeError.self) { try form.element() }
        form = try #require(DataForm(parse("<x xmlns='jabber:x:data'><title>t</title><field var='f'/></x>")))
        form.title = "new"
        form.fields[0].value = "\u{FFFE}"
        #expect(throws: XMLTreeError.self) { try form.element() }
    }

    /// Random changes of random forms: the written form equals the form.
    @Test func randomChanges() throws {
        for number in 0..<SeededGenerator.cases(default: 300) {
            var random = SeededGenerator(salt: UInt64(number))
            let element = try HostileForms.element(&random)
            var form = try #require(DataForm(element))
            for _ in 0..<Int.random(in: 1...6, using: &random) { change(&form, &random) }
            let written = try form.element()
            let read = try #require(DataForm(written))
            #expect(read == form, "case \(number), STANZA_SEED=\(SeededGenerator.seed): \(written)")
            #expect(FormReading(written) == FormReading(form), "case \(number), STANZA_SEED=\(SeededGenerator.seed)")
            // Editing in place gives the same result.
            let editable = element.thaw()
            try DataFormElement(editable)?.edit { $0 = form }
            #expect(editable.freeze() == written, "case \(number), STANZA_SEED=\(SeededGenerator.seed)")
        }
    }

    private func change(_ form: inout DataForm, _ random: inout SeededGenerator) {
        let text = random.pick(["", "a", "é", "<&>", "e\u{301}", " "])
        switch Int.random(in: 0..<14, using: &random) {
        case 0: form.title = random.pick([nil, text])
        case 1: form.instructions = (0..<Int.random(in: 0...3, using: &random)).map { "\(text)\($0)" }
        case 2: form.kind = random.pick([nil, .form, .submit, .result])
        case 3: form.fields.shuffle(using: &random)
        case 4: if !form.fields.isEmpty { form.fields.remove(at: Int.random(in: form.fields.indices, using: &random)) }
        case 5: form.fields.insert(FormField(text, .listMulti, values: [text], options: ["1", "2"]), at: 0)
        case 6: form.items.append(FormItem(fields: form.fields))
        case 7: if !form.items.isEmpty { form.items.remove(at: Int.random(in: form.items.indices, using: &random)) }
        case 8: form.reported = random.pick([nil, [], form.fields])
        case 9:
            let parts = [
                LayoutPart.field("a"), .field(text), .table, .text(text),
                .section(
                    FormSection(label: text, parts: [.table, .text("x"), .section(FormSection(parts: [.field("b")]))])),
            ].filter { _ in random.chance(60) }.shuffled(using: &random)
            form.pages = random.pick([
                [], [FormSection(label: text, parts: parts)],
                [FormSection(parts: [.field("a")]), FormSection(parts: parts)],
            ])
        case 10: form.extensions.shuffle(using: &random)
        default:
            guard !form.fields.isEmpty else { return }
            change(&form.fields[Int.random(in: form.fields.indices, using: &random)], text, &random)
        }
    }

    private func change(_ field: inout FormField, _ text: String, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: field.values = (0..<Int.random(in: 0...3, using: &random)).map { "\(text)\($0)" }
        case 1: field.options = random.pick([[], [FieldOption(text, label: text)], field.options + ["x"]])
        case 2: field.label = random.pick([nil, text])
        // Reading ignores an empty description.
        case 3: field.description = random.pick([nil, text + "d"])
        case 4: field.isRequired.toggle()
        case 5:
            let method = random.pick([
                FieldValidation.Method.basic, .open, .range(min: "1", max: nil), .range(min: text, max: text),
                .regex(text),
            ])
            let listRange = random.pick([nil, FieldValidation.ListRange(min: 1), .init(min: 2, max: 3)])
            field.validation = random.pick([
                nil, FieldValidation(random.pick([nil, "xs:int"]), method, listRange: listRange),
            ])
        case 6:
            let uris = [MediaURI("cid:x", type: "image/png"), MediaURI("cid:y", type: nil), MediaURI("z", type: text)]
            field.media = random.pick([
                nil,
                FieldMedia(
                    height: random.pick([nil, 1]), width: random.pick([nil, 3]),
                    uris: uris.filter { _ in random.chance(60) }),
            ])
        default: field.name = random.pick([nil, text])
        }
    }
}
