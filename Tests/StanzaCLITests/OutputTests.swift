// The output of `stanza find`, in every format.

import StanzaCLI
import Testing

@Suite("Output of find")
struct OutputTests {
    static let form = """
        <message id='m'><x xmlns='jabber:x:data' type='form'><field var='f' type='list-single' label='L'>\
        <value>v</value><value>w</value><option label='V'><value>v</value></option><required/></field></x></message>
        """
    static let values = """
        <message b='true' i='-5' u='18446744073709551615' d='0.5' w='5' t='2002-09-10T23:08:25.120+02:00' \
        x='AQI=' id='0A1B2C3D-0000-4000-8000-00000000ABCD'/>
        """

    @Test(
        "is one line of text for each result",
        arguments: [
            ("<a><b>x</b><b>y</b></a>", "b#", ["x", "y"]),
            ("<a k='1\\2'/>", "/@k", [#"1\\2"#]),
            ("<a>1\n2&#13;3\t4\u{85}5\u{2028}6</a>", "/#", ["1\\n2\\r3\t4\\u00855\\u20286"]),
            // Some terminals obey these.
            ("<a>1\u{7F}2\u{9B}2J°é</a>", "/#", ["1\\u007f2\\u009b2J°é"]),
            ("<a k='\u{9B}é'>\u{7F}°</a>", "", ["<a xmlns='jabber:client' k='&#155;é'>&#127;°</a>"]),
            (
                "<a b='2' a='1' xml:lang='e\"n'/>", "/@@",
                [
                    #"{"xmlns": "jabber:client", "b": "2", "a": "1", "xml:lang": "e\"n"}"#
                ]
            ),
            ("<a k='\u{202E}\u{85}'/>", "/@@", [#"{"xmlns": "jabber:client", "k": "\u202e\u0085"}"#]),
            ("<a><b k='&#10;'>x\ny</b></a>", "b", ["<b xmlns='jabber:client' k='&#10;'>x&#10;y</b>"]),
            ("<a>\u{2028}</a>", "", ["<a xmlns='jabber:client'>&#8232;</a>"]),
            (
                "<stream:error><x xmlns='u'/></stream:error>", "",
                [
                    "<stream:error xmlns:stream='http://etherx.jabber.org/streams'><x xmlns='u'/></stream:error>"
                ]
            ),
            (values, "/@b|bool", ["true"]),
            (values, "/@i|int", ["-5"]),
            (values, "/@u|uint", ["18446744073709551615"]),
            (values, "/@d|double", ["0.5"]),
            (values, "/@t|datetime", ["2002-09-10T21:08:25.120Z"]),
            (values, "/@x|base64", ["AQI="]),
            (values, "/@id|uuid", ["0a1b2c3d-0000-4000-8000-00000000abcd"]),
            ("<m><x xmlns='jabber:x:data' type='form'/></m>", #"\\"#, ["<x xmlns='jabber:x:data' type='form'/>"]),
            (form, #"\@f\"#, ["v"]),
            (
                form, #"\&f\"#,
                [
                    #"{"name": "f", "type": "list-single", "value": "v", "allValues": ["v", "w"], "#
                        + #""options": {"v": "V"}, "label": "L", "required": true}"#
                ]
            ),
        ])
    func text(input: String, query: String, expected: [String]) {
        #expect(stanza("find", query, input: input).lines == expected)
    }

    @Test(
        "as JSON has the forms of suites, and the content of elements",
        arguments: [
            ("<a>1\n2\u{1F600}\u{2028}\u{7F}</a>", "/#", [#"{"string": "1\n2😀\u2028\u007f"}"#]),
            ("<a>\u{202E}x\u{2066}\u{200D}</a>", "/#", ["{\"string\": \"\\u202ex\\u2066\\u200d\"}"]),
            ("<a a='1'/>", "/@@", [#"{"attributes": {"xmlns": "jabber:client", "a": "1"}}"#]),
            (values, "/@b|bool", [#"{"bool": true}"#]),
            (values, "/@i|int", [#"{"int": -5}"#]),
            (values, "/@u|uint", [#"{"uint": 18446744073709551615}"#]),
            (values, "/@w|double", [#"{"double": 5.0}"#]),
            (values, "/@t|datetime", [#"{"datetime": 1031692105.12}"#]),
            (values, "/@x|base64", [#"{"base64": "AQI="}"#]),
            (values, "/@id|uuid", [#"{"uuid": "0a1b2c3d-0000-4000-8000-00000000abcd"}"#]),
            (
                "<m><x xmlns='jabber:x:data'/></m>", #"\\"#,
                [#"{"form": {"name": "x", "namespace": "jabber:x:data", "attributes": {}, "children": []}}"#]
            ),
            (
                "<m><x xmlns='jabber:x:data'><field var='f'/></x></m>", #"\&f\"#,
                [
                    #"{"field": {"name": "f", "allValues": [], "options": {}, "required": false}}"#
                ]
            ),
        ])
    func json(input: String, query: String, expected: [String]) {
        #expect(stanza("find", "--json", query, input: input).lines == expected)
    }

    @Test("as XML is one document")
    func xml() {
        let input = "<a><b k='1'>x\ny</b></a><a><b k='&lt;&amp;&gt;'/></a>"
        #expect(
            stanza("find", "--xml", "b", input: input).output == """
                <?xml version='1.0' encoding='UTF-8'?>
                <results>
                <b xmlns='jabber:client' k='1'>x
                y</b>
                <b xmlns='jabber:client' k='&lt;&amp;&gt;'/>
                </results>

                """)
        let texts = stanza("find", "--xml", "b@k", input: input).output
        #expect(texts.contains("<result>1</result>\n<result>&lt;&amp;&gt;</result>\n</results>\n"))
        // The command reads its own output.
        #expect(stanza("find", "result#", input: texts).lines == ["1", "<&>"])
        #expect(stanza("find", "--xml", "zzz", input: input).output.hasSuffix("<results>\n</results>\n"))
    }

    @Test("as XML has references for terminal control characters, and keeps its lines")
    func hostileXML() {
        let input = "<a><b k='\u{9B}\u{202E}'>x\n\u{7F}\u{2066}y</b></a>"
        let elements = stanza("find", "--xml", "b", input: input)
        #expect(elements.output.contains("<b xmlns='jabber:client' k='&#155;&#8238;'>x\n&#127;&#8294;y</b>\n"))
        #expect(stanza("find", "--xml", "b@k", input: input).output.contains("<result>&#155;&#8238;</result>"))
        // The command reads its own output.
        #expect(stanza("find", "--json", "{*}b#", input: elements.output).lines == [#"{"string": "x\n\u007f\u2066y"}"#])
    }

    @Test("shows where the stanzas begin")
    func source() {
        let files = ["a:\n'": "<a/>\n <b>\n</b>\n<c/>", "j": "\n{\"xml\": \"\\n<a/>\"}"]
        let result = stanza("find", "--with-source", "/$", "a:\n'", "j", files: files)
        #expect(result.lines == ["a:\\n':1:a", "a:\\n':2:b", "a:\\n':4:c", "j:2:a"])
        #expect(
            stanza("find", "--with-source", "--json", "/$", input: "<a/>").lines == [
                #"{"string": "a", "source": {"file": "-", "line": 1, "offset": 0}}"#
            ])
        let json = stanza("find", "--with-source", "--json", "/$", "a:\n'", files: files).lines
        #expect(json.last == #"{"string": "c", "source": {"file": "a:\n'", "line": 4, "offset": 15}}"#)
        let xml = stanza("find", "--with-source", "--xml", "", "a:\n'", files: files).output
        #expect(stanza("find", "result<source~^a:>@source", input: xml).lines == ["a:\\n':1", "a:\\n':2", "a:\\n':4"])
        #expect(stanza("find", "result/{*}*$", input: xml).lines == ["a", "b", "c"])
        let stream = InputFormatTests.header + "\n<a/>\n\n<b/></stream:stream>"
        #expect(stanza("find", "--with-source", "/$", input: stream).lines == ["-:2:a", "-:4:b"])
    }

    @Test("can be the number of results")
    func count() {
        let files = ["1": "<a><b/><b/></a>", "2": "<a><b/></a>"]
        let result = stanza("find", "--count", "b", "1", "2", files: files)
        #expect(result.output == "3\n")
        #expect(result.status == .success)
        let none = stanza("find", "--count", "c", "1", "2", files: files)
        #expect(none.output == "0\n")
        #expect(none.status == .nothing)
        #expect(stanza("find", "--count", "--first", "b", "1", "2", files: files).output == "1\n")
    }

    @Test("stops at the first result")
    func first() {
        let files = ["1": "<x/>", "2": "<a><b>1</b><b>2</b></a><a><b>3</b></a><bad"]
        let first = stanza("find", "--first", "b#", "1", "2", "3", files: files)
        #expect(first.lines == ["1"])
        #expect(first.status == .success)
        #expect(first.errors.isEmpty)
        let check = stanza("find", "--check", "b#", "1", "2", "3", files: files)
        #expect(check.output.isEmpty)
        #expect(check.status == .success)
        #expect(stanza("find", "--check", "c#", "1", files: files).status == .nothing)
    }

    @Test("takes one format at a time")
    func exclusiveForms() {
        for forms in [["--json", "--xml"], ["--count", "--check"], ["--json", "--count"]] {
            let result = stanza(["find", ""] + forms, input: [Array("<a/>".utf8)])
            #expect(result.status == .usage)
            #expect(
                result.errorLines.first == "Error: \(forms.joined(separator: " and ")) exclude each other: pass one.")
        }
        let all = stanza("find", "", "--check", "--count", "--json", "--xml", "--json")
        #expect(
            all.errorLines.first == "Error: --json and --xml and --count and --check exclude each other: pass one.")
    }
}
