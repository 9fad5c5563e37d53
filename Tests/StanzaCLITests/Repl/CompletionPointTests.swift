// The completion at the end of an unfinished query.

import Testing

@testable import StanzaCLI

@Suite("Completion points")
struct CompletionPointTests {
    @Test(
        "depend on the marks before them",
        arguments: [
            ("", .element, "", ""), ("/", .root, "", ""), ("/i", .root, "", "i"), ("bo", .element, "", "bo"),
            ("/iq/", .element, "/iq", ""), ("a/{urn:x}b/c", .element, "a/{urn:x}b", "c"),
            ("{urn", .element, "", "{urn"), ("/{urn:x}b", .root, "", "{urn:x}b"), ("{u/v}b", .element, "", "{u/v}b"),
            ("a<b=c/d>/{", .element, "a<b=c/d>", "{"),
            ("a<", .attribute, "a", ""), ("/{x}*<ty", .attribute, "/{x}*", "ty"), ("/<", .attribute, "", ""),
            ("a<{urn", .attribute, "a", "{urn"), ("a<b=1><{u}c", .attribute, "a<b=1>", "{u}c"),
            ("a@{u}b|", .conversion, "a", ""), ("a@@", .nothing, "a", "@"), ("a@@|", .nothing, "a", "@|"),
            ("a<b=", .value(attribute: "b"), "a", ""), ("a/b<c=1><{u}d=e", .value(attribute: "{u}d"), "a/b<c=1>", "e"),
            ("a<b~x@", .nothing, "a", "x@"), ("a<b=1>", .nothing, "a", ""),
            ("a@", .attribute, "a", ""), ("a/@id", .attribute, "a", "id"), ("/@", .attribute, "", ""),
            ("@", .attribute, "", ""), ("a<b=1>@xml:l", .attribute, "a<b=1>", "xml:l"),
            ("a@id|", .conversion, "a", ""), ("a#|da", .conversion, "a", "da"), ("a$", .nothing, "a", ""),
            ("\\", .formKind(formType: nil), "", ""), ("a/\\re", .formKind(formType: nil), "a", "re"),
            ("\\{", .formType, "", ""), ("a\\{urn:x", .formType, "a", "urn:x"),
            ("\\{f}", .formKind(formType: "f"), "", ""), ("\\{*}form", .formKind(formType: nil), "", "form"),
            ("\\{f}form[", .nothing, "", ""), ("\\[0]", .nothing, "", ""),
            ("\\@", .field(formType: nil), "", ""), ("\\&", .field(formType: nil), "", ""),
            ("\\[0]@", .field(formType: nil), "", ""), ("\\&a\\|", .nothing, "", "|"), ("\\\\|", .nothing, "", "|"),
            ("\\{f/g}form[0]@na", .field(formType: "f/g"), "", "na"), ("\\{*}&", .field(formType: nil), "", ""),
            ("\\@a/b@", .field(formType: nil), "", "a/b@"), ("\\@a\\|", .conversion, "", ""),
        ] as [(String, CompletionPoint.Wanted, String, String)])
    func places(text: String, wanted: CompletionPoint.Wanted, path: String, typed: String) {
        let point = CompletionPoint(endOf: text)
        #expect(point.wanted == wanted, "\(text)")
        #expect(point.path == path, "\(text)")
        if wanted != .nothing { #expect(point.typed == typed, "\(text)") }
    }

    @Test("are found in any text")
    func anything() {
        let text = "/{a}!b<c=d><{e}f~g>/..//\\{h}i[0]@j\\|int|{<@@##$$\\\\|}>"
        for end in text.indices {
            let point = CompletionPoint(endOf: String(text[..<end]))
            #expect(text[..<end].hasSuffix(point.typed))
        }
    }
}
