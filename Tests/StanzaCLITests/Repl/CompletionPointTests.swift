// The completion at the end of an unfinished query.

import Testing

@testable import StanzaCLI

@Suite("Completion points")
struct CompletionPointTests {
    @Test(
        "depend on the marks before them",
        arguments: [
            ("", .element(namespace: nil), ""), ("/", .element(namespace: nil), ""),
            ("bo", .element(namespace: nil), "bo"), ("a/{urn:x}b/!c", .element(namespace: nil), "c"),
            ("{urn", .namespace, "urn"), ("a<b=c/d>/{", .namespace, ""), ("{urn:x}", .element(namespace: "urn:x"), ""),
            ("{*}it", .element(namespace: "*"), "it"),
            ("a<", .attribute(element: "a"), ""), ("{x}*<ty", .attribute(element: nil), "ty"),
            ("a<{urn", .attributeNamespace, "urn"), ("a<b=1><{u}c", .expandedAttribute(namespace: "u"), "c"),
            ("a@{", .attributeNamespace, ""), ("a@{u}", .expandedAttribute(namespace: "u"), ""),
            ("a@{u}b|", .conversion, ""), ("a@@", .nothing, ""), ("a@@|", .nothing, ""),
            ("a<b=", .nothing, ""), ("a<b~x@", .nothing, "x@"), ("a<b=1>", .nothing, ""),
            ("a@", .attribute(element: "a"), ""), ("a/@id", .attribute(element: nil), "id"),
            ("a<b=1>@xml:l", .attribute(element: "a"), "xml:l"),
            ("a@id|", .conversion, ""), ("a#|da", .conversion, "da"), ("a$", .nothing, ""), ("a#", .nothing, ""),
            ("\\", .formKind(formType: nil), ""), ("a/\\re", .formKind(formType: nil), "re"),
            ("\\{", .formType, ""), ("a\\{urn:x", .formType, "urn:x"), ("\\{f}", .formKind(formType: "f"), ""),
            ("\\{*}form", .formKind(formType: nil), "form"), ("\\{f}form[", .nothing, ""), ("\\[0]", .nothing, ""),
            ("\\@", .field(formType: nil), ""), ("\\&", .field(formType: nil), ""),
            ("\\[0]@", .field(formType: nil), ""), ("\\&a\\|", .nothing, ""), ("\\\\|", .nothing, ""),
            ("\\{f/g}form[0]@na", .field(formType: "f/g"), "na"), ("\\{*}&", .field(formType: nil), ""),
            ("\\@a/b@", .field(formType: nil), "a/b@"), ("\\@a\\", .nothing, ""), ("\\@a\\|", .conversion, ""),
        ] as [(String, CompletionPoint.Wanted, String)])
    func places(text: String, wanted: CompletionPoint.Wanted, typed: String) {
        let point = CompletionPoint(endOf: text)
        #expect(point.wanted == wanted, "\(text)")
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
