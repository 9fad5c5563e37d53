// The meaning of queries as trees, section by section of the language.

import QuerySyntax
import QueryTools
import Testing

struct TreeTests {
    struct Group: CustomTestStringConvertible {
        let name: String
        let trees: [(query: String, outline: [String])]
        var testDescription: String { name }
    }

    @Test(arguments: groups)
    func tree(of group: Group) {
        for (query, outline) in group.trees {
            let parsed = ParsedQuery(parsing: query)
            #expect(parsed.diagnostics.isEmpty, "\(query)")
            #expect(parsed.tree.description == outline.joined(separator: "\n"), "\(query)")
        }
    }

    static let groups = [
        Group(
            name: "2 paths",
            trees: [
                ("", []),
                ("a", ["elements a"]),
                ("a/b/c", ["elements a", "elements b", "elements c"]),
                ("/a", ["rooted", "elements a"]),
                ("/a/b", ["rooted", "elements a", "elements b"]),
            ]),
        Group(
            name: "3.1 to 3.4 names and namespaces",
            trees: [
                ("{urn:x}a", ["elements {urn:x}a"]),
                ("{urn:x}", ["elements {urn:x}*"]),
                ("{a/b<c>|@#$\\}x", ["elements {a/b<c>|@#$\\}x"]),
                ("*", ["elements *"]),
                ("{*}*", ["elements {*}*"]),
                ("{*}", ["elements {*}*"]),
                ("{**}a", ["elements {**}a"]),
                ("{u}*", ["elements {u}*"]),
                ("!a", ["elements !a"]),
                ("{u}!a", ["elements {u}!a"]),
                ("!...", ["elements !..."]),
                ("...", ["elements ..."]),
                ("..a", ["elements ..a"]),
                (".", ["elements ."]),
                ("{u}...", ["elements {u}..."]),
                ("1a", ["elements 1a"]),
                ("stream:error", ["elements stream:error"]),
                ("straße/名", ["elements straße", "elements 名"]),
            ]),
        Group(
            name: "3.5 the parent",
            trees: [
                ("..", ["ascend"]),
                ("/..", ["rooted", "ascend"]),
                ("../..", ["ascend", "ascend"]),
                ("a/../b", ["elements a", "ascend", "elements b"]),
            ]),
        Group(
            name: "3.6 without a name",
            trees: [
                ("@id", ["self", "extract attribute id"]),
                ("@@", ["self", "extract attributes"]),
                ("a/@id", ["elements a", "self", "extract attribute id"]),
                ("a/@@", ["elements a", "self", "extract attributes"]),
                ("#", ["elements *", "extract text"]),
                ("a/#", ["elements a", "elements *", "extract text"]),
                ("/@id", ["rooted", "elements {*}*", "extract attribute id"]),
                ("/#", ["rooted", "elements {*}*", "extract text"]),
                ("/$", ["rooted", "elements {*}*", "extract name"]),
                ("/@@", ["rooted", "elements {*}*", "extract attributes"]),
                ("/<a=b>", ["rooted", "elements {*}*", "  a = \"b\""]),
                ("/<a=b>/c", ["rooted", "elements {*}*", "  a = \"b\"", "elements c"]),
                ("/<a=b>@id", ["rooted", "elements {*}*", "  a = \"b\"", "extract attribute id"]),
                ("/<a=b>$|int", ["rooted", "elements {*}*", "  a = \"b\"", "extract name", "convert int"]),
                ("../@type", ["ascend", "self", "extract attribute type"]),
                ("../#", ["ascend", "self", "extract text"]),
                ("../$", ["ascend", "self", "extract name"]),
                ("../@@", ["ascend", "self", "extract attributes"]),
                ("/../#", ["rooted", "ascend", "self", "extract text"]),
            ]),
        Group(
            name: "3.7 filters",
            trees: [
                ("a<b=c>", ["elements a", "  b = \"c\""]),
                ("a<b=c><d~e>", ["elements a", "  b = \"c\"", "  d ~ \"e\""]),
                ("a<b=<c/d{e}\\>", ["elements a", "  b = \"<c/d{e}\\\\\""]),
                ("a<b==>", ["elements a", "  b = \"=\""]),
                ("a<b~~%@>", ["elements a", "  b ~ \"~%@\""]),
                ("a<xml:lang=de>", ["elements a", "  xml:lang = \"de\""]),
                ("a<{u}b=c>", ["elements a", "  {u}b = \"c\""]),
                ("a<{*x}b=c>", ["elements a", "  {*x}b = \"c\""]),
                ("a<b= >", ["elements a", "  b = \" \""]),
                ("{u}<b~^(x|y)$>/c", ["elements {u}*", "  b ~ \"^(x|y)$\"", "elements c"]),
            ]),
        Group(
            name: "4 extractions and conversions",
            trees: [
                ("a@b", ["elements a", "extract attribute b"]),
                ("a@xml:lang", ["elements a", "extract attribute xml:lang"]),
                ("a@{u}b", ["elements a", "extract attribute {u}b"]),
                ("a@@", ["elements a", "extract attributes"]),
                ("a#", ["elements a", "extract text"]),
                ("a$", ["elements a", "extract name"]),
                ("a@b|bool", ["elements a", "extract attribute b", "convert bool"]),
                ("a#|int", ["elements a", "extract text", "convert int"]),
                ("a$|uint", ["elements a", "extract name", "convert uint"]),
                ("@b|double", ["self", "extract attribute b", "convert double"]),
                ("#|datetime", ["elements *", "extract text", "convert datetime"]),
                ("a#|base64", ["elements a", "extract text", "convert base64"]),
                ("a#|uuid", ["elements a", "extract text", "convert uuid"]),
                ("\\@f\\|uuidcast", ["elements {jabber:x:data}x", "extract form value of \"f\"", "convert uuidcast"]),
            ]),
        Group(
            name: "5 data forms",
            trees: [
                ("\\\\", ["elements {jabber:x:data}x", "extract form"]),
                ("a\\\\", ["elements a", "extract form"]),
                ("a/\\\\", ["elements a", "elements {jabber:x:data}x", "extract form"]),
                ("/\\\\", ["rooted", "elements {jabber:x:data}x", "extract form"]),
                ("../\\\\", ["ascend", "elements {jabber:x:data}x", "extract form"]),
                ("<a=b>\\\\", ["elements {jabber:x:data}x", "  a = \"b\"", "extract form"]),
                ("/<a=b>\\\\", ["rooted", "elements {jabber:x:data}x", "  a = \"b\"", "extract form"]),
                (
                    "../<a=b><c~d>\\\\",
                    [
                        "ascend", "elements {jabber:x:data}x", "  a = \"b\"", "  c ~ \"d\"", "extract form",
                    ]
                ),
                ("a\\{u}\\", ["elements a", "extract form FORM_TYPE \"u\""]),
                ("a\\{*}*\\", ["elements a", "extract form"]),
                ("a\\result\\", ["elements a", "extract form type result"]),
                ("a\\..\\", ["elements a", "extract form type .."]),
                ("a\\[0]\\", ["elements a", "extract form item 0"]),
                ("a\\[007]\\", ["elements a", "extract form item 7"]),
                ("a\\@b c/d|e>\\", ["elements a", "extract form value of \"b c/d|e>\""]),
                ("a\\&muc#roomconfig\\", ["elements a", "extract form description of \"muc#roomconfig\""]),
                (
                    "a\\{u/}form[12]&f\\",
                    [
                        "elements a", "extract form FORM_TYPE \"u/\" type form item 12 description of \"f\"",
                    ]
                ),
            ]),
        Group(
            name: "6.1 specifiers",
            trees: [
                ("a<b=%@>", ["elements a", "  b = %@"]),
                ("a<b=x%dy%sz>", ["elements a", "  b = \"x\" %d \"y\" %s \"z\""]),
                ("a<b=%d%u>", ["elements a", "  b = %d %u"]),
                ("a<b=100%%>", ["elements a", "  b = \"100%\""]),
                ("a<b=%%%%d>", ["elements a", "  b = \"%%d\""]),
                ("a<b=%-+0# 10.3lldx>", ["elements a", "  b = %-+0# 10.3lld \"x\""]),
                ("a<b=%5.f>", ["elements a", "  b = %5.0f"]),
                ("a<b=%.0012g>", ["elements a", "  b = %.12g"]),
                ("a<b=%1000.1000x>", ["elements a", "  b = %1000.1000x"]),
                (
                    "a<b=%hhi%hX%lo%qc%ju%td%zd%Le>",
                    [
                        "elements a", "  b = %hhi %hX %lo %qc %ju %td %zd %Le",
                    ]
                ),
            ]),
    ]

    /// Joining marks, scalars without width, and other kinds of spaces do not make two trees look the same.
    @Test(arguments: [
        ("e\u{301}", #"elements e\u{301}"#), ("!a\u{200D}", #"elements !a\u{200D}"#),
        ("{u\u{A0}}a", #"elements {u\u{A0}}a"#), ("a<b\u{FE0F}=c>", #"  b\u{FE0F} = "c""#),
        ("a<b=\u{200B}\n\"'\\>", #"  b = "\u{200B}\n\"'\\""#), ("@{u\u{202E}}k", #"extract attribute {u\u{202E}}k"#),
        // The outline distinguishes an escape from similar text, and other backslashes stay unchanged.
        (#"{\u{200B}a"#, #"elements {\\u{200B}a"#), ("{\\\u{200B}}a", #"elements {\\\u{200B}}a"#),
        (#"{\d\\}a"#, #"elements {\d\\}a"#), ("a\u{E9}\u{4E00}\u{1F600}", "elements a\u{E9}\u{4E00}\u{1F600}"),
    ])
    func invisibleCharactersAreEscaped(query: String, line: String) {
        let description = ParsedQuery(parsing: query).tree.description
        let lines = description.unicodeScalars.split(separator: "\n").map { Array($0) }
        #expect(lines.contains(Array(line.unicodeScalars)), "\(description)")
    }

    @Test func anIndexOfManyDigitsIsTheLargestNumber() throws {
        for digits in ["9223372036854775808", "99999999999999999999999", String(repeating: "7", count: 1_000)] {
            let extraction = try #require(ParsedQuery(parsing: "\\[\(digits)]\\").tree.extraction)
            guard case .form(let form) = extraction else {
                Issue.record("no form: \(extraction)")
                continue
            }
            #expect(form.index == .max, "\(digits)")
        }
    }
}
