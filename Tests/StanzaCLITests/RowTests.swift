// `stanza find --row`: a line for each stanza.

import StanzaCLI
import Testing

@Suite("Rows")
struct RowTests {
    private static let fragments = """
        <message from='a'><body>one, "two"</body></message>
        <presence from='b'/>
        <message from='longer'><body>x\ty\nz\\</body>\
        <delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'/></message>
        <iq/>
        """
    private static let columns = ["--row", "from=/@from", "--row", "text=body#"]
    private static let lines = """
        {"connection": "c1", "n": {"b": 5}, "xml": "<message><body>hi</body></message>"}
        {"xml": "<presence/>", "connection": null}
        {"connection": "c\\t2", "xml": "<message><body>ho</body></message>", "n": [1, {"x": true}]}
        """
    private static let members = ["--row", "c=.connection", "--row", "b=.n.b", "--row", "body=body#"]

    @Test(
        "have the first result of each query",
        arguments: [
            (columns, fragments, ["from    text", #"a       one, "two""#, "b", #"longer  x\ty\nz\\"#]),
            (
                columns + ["--csv"], fragments,
                ["from,text", #"a,"one, ""two""""#, "b,", "longer,\"x\ty", #"z\""#]
            ),
            (columns + ["--tsv"], fragments, ["from\ttext", "a\tone, \"two\"", "b\t", #"longer\#tx\ty\nz\\"#]),
            (columns + ["--tsv", "--format", "lines"], "<m from='a'/>\n<iq/>\n<m><body/></m>", ["a\t"]),
            (
                columns + ["--json"], fragments,
                [
                    #"{"from": "a", "text": "one, \"two\""}"#, #"{"from": "b", "text": null}"#,
                    #"{"from": "longer", "text": "x\ty\nz\\"}"#,
                ]
            ),
            (columns + ["--count"], fragments, ["3"]), (columns + ["--check"], fragments, []),
            (columns + ["--csv", "--first"], fragments, ["from,text", #"a,"one, ""two""""#]),
            (
                columns + ["--csv", "--query", "/message<from=longer>", "--row", "d={*}delay@stamp"], fragments,
                ["from,text,d", "longer,\"x\ty", #"z\",2002-09-10T23:08:25Z"#]
            ),
            (["--row", "a=/<from=%@>$", "--arg", "b", "--tsv"], fragments, ["a", "presence"]),
            (
                ["--row", "e=body", "--row", "t={*}delay@stamp|datetime", "--row", "n=/@n|int", "--json"],
                "<m n='5'><body a='b'>x<c/></body></m>",
                [
                    #"{"e": {"name": "body", "namespace": "jabber:client", "attributes": {"a": "b"}, "children": "#
                        + #"["x", {"name": "c", "namespace": "jabber:client", "attributes": {}, "children": []}]}, "#
                        + #""t": null, "n": 5}"#
                ]
            ),
            // Members of lines do not decide whether a stanza has a row.
            (members + ["--tsv"], lines, ["c\tb\tbody", "c1\t5\thi", #"c\t2\#t\#tho"#]),
            (
                ["--row", "c=.connection", "--row", "n=.n", "--json"], lines,
                [#"{"c": "c1", "n": {"b": 5}}"#, #"{"c": null, "n": null}"#, #"{"c": "c\t2", "n": [1, {"x": true}]}"#]
            ),
            (["--row", "c=.connection", "--query", "/presence", "--csv"], lines, ["c", #""""#]),
            (["--row", "c=.connection", "--csv"], "<a/>", ["c", #""""#]),
            (columns + ["--format", "lines"], "<m from='a'/>", ["a"]),
            (
                ["--row", "c=.a.b", "--row", "n=/$", "--member", "x.y", "--csv"], #"{"x.y": "<m/>", "a.b": 1}"#,
                ["c,n", "1,m"]
            ),
            (["--row", "n=/$", "--each", "B", "--tsv"], "<a><b/></a>", ["n"]),
            (["--row", "n=/$", "--each", "b<k=X>", "--ignore-case", "--tsv"], "<a><b k='x'/></a>", ["n", "b"]),
            (columns, "<iq/>", []), (columns + ["--csv"], "<iq/>", ["from,text"]),
        ])
    func rows(arguments: [String], input: String, expected: [String]) {
        let isAligned = Set(arguments).isDisjoint(with: ["--csv", "--tsv", "--json"])
        for jobs in ["1", "2"] {
            let arguments = ["find", "--jobs", jobs] + arguments
            #expect(stanza(arguments + ["f"], input: [], files: ["f": input]).lines == expected, "\(arguments)")
            let slow = stanza(arguments, input: pieces(input, of: 7))
            // The first row of slow input decides the widths.
            #expect(isAligned ? slow.lines.count == expected.count : slow.lines == expected, "\(arguments)")
        }
    }

    @Test("have the places of their stanzas on request")
    func source() {
        let arguments = ["find", "--with-source"] + Self.columns
        let input = [Array("\n <m from='a'/>".utf8)]
        #expect(stanza(arguments + ["--tsv"], input: input).lines == ["source\tfrom\ttext", "-:2\ta\t"])
        #expect(
            stanza(arguments + ["--json"], input: input).lines == [
                #"{"from": "a", "text": null, "source": {"file": "-", "line": 2, "offset": 2}}"#
            ])
    }

    @Test("do not wait for the end of slow input, and stay aligned for long input")
    func widths() {
        let long = (0..<5_000).map { "<m from='user\($0)'><body>text</body></m>\n" }.joined()
        let result = stanza(["find"] + Self.columns + ["f"], input: [], files: ["f": long])
        #expect(result.lines.count == 5_001)
        #expect(result.lines[0] == "from      text" && result.lines[5_000] == "user4999  text")
        let wide = "<m from='\(String(repeating: "w", count: 60))'><body>x</body></m><m from='日本'><body>y</body></m>"
        let lines = stanza(["find"] + Self.columns + ["f"], input: [], files: ["f": wide]).lines
        #expect(lines[1].hasSuffix("w  x") && lines[2] == "日本" + String(repeating: " ", count: 46) + "y")
    }

    @Test(
        "reject wrong arguments",
        arguments: [
            (["--row", "body#"], "is invalid for '--row <name=query>'"),
            (["--row", "a=."], "is invalid for '--row <name=query>'"),
            (["--row", "/<a=b>@c"], "is invalid for '--row <name=query>'"),
            (["--row", "a=b", "--xml"], "--xml is not a format of rows"),
            (["--csv", "body"], "--csv is a format of rows: pass --row"),
            (["--pretty", "--json", "body"], "--pretty is for elements"),
            (["--row", "a=@b|integer"], "unknown conversion 'integer'"),
            (["--each", "b<k=%@>", "/$"], "no argument for '%@'"),
            (["--each", "b<k=%@>", "/$", "--arg", "x"], "error: "),
            (["--row", "a=.b", "--arg", "x"], "--arg is for queries"),
            (["--row", "a=/@b", "--row", "a=/@c"], "Two columns have the name 'a'"),
            (["--row", "source=/@b", "--with-source"], "Two columns have the name 'source'"),
            (["--row", "from"], "write a name of letters"),
            (["--each", "/@from", ""], "--each is a query of elements"),
            (["--query-file", "-"], "Standard input can be read once"),
            (["--query", "a", "-", "-"], "Standard input can be read once"),
        ])
    func wrong(arguments: [String], message: String) {
        let result = stanza(["find"] + arguments, input: [])
        #expect(result.status == .usage && result.errors.contains(message), "\(result.errors)")
    }
}

@Suite("Elements of find")
struct ElementOutputTests {
    private static let input = "<m a='1' xml:lang='en'><b xmlns='urn:x'>t&amp;\n<c/>u</b></m>"

    @Test(
        "are printed with their content",
        arguments: [
            (
                ["--json", ""],
                #"{"element": {"name": "m", "namespace": "jabber:client", "attributes": {"a": "1", "xml:lang": "en"}, "#
                    + #""children": [{"name": "b", "namespace": "urn:x", "attributes": {}, "children": ["t&\n", "#
                    + #"{"name": "c", "namespace": "urn:x", "attributes": {}, "children": []}, "u"]}]}}"# + "\n"
            ),
            (
                ["--json", "--default-namespace", "", "/m<a=1>"],
                #"{"element": {"name": "m", "attributes": {"a": "1", "xml:lang": "en"}, "children": [{"name": "b", "#
                    + #""namespace": "urn:x", "attributes": {}, "children": ["t&\n", {"name": "c", "namespace": "#
                    + #""urn:x", "attributes": {}, "children": []}, "u"]}]}}"# + "\n"
            ),
            (
                ["--pretty", ""],
                "<m xmlns='jabber:client' a='1' xml:lang='en'>\n  <b xmlns='urn:x'>t&amp;\n<c/>u</b>\n</m>\n"
            ),
            (
                ["--pretty", "--xml", ""],
                "<?xml version='1.0' encoding='UTF-8'?>\n<results>\n<m xmlns='jabber:client' a='1' xml:lang='en'>\n"
                    + "  <b xmlns='urn:x'>t&amp;\n<c/>u</b>\n</m>\n</results>\n"
            ),
        ])
    func content(arguments: [String], output: String) {
        #expect(stanza(["find"] + arguments, input: pieces(Self.input, of: 9)).output == output)
    }

    /// A stack of calls for each level would overflow.
    @Test("may be nested as deep as the user allows")
    func deep() {
        let depth = 50_000
        let input = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        let result = stanza("find", "--json", "--max-depth", "\(depth)", "", input: input)
        #expect(result.output.count { $0 == "]" } == depth && result.status == .success)
    }
}
