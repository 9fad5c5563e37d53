// Types whose methods need no receiver, and literals in parentheses.

import StanzaLint
import Testing

struct ScopeTests {
    private func lines(_ source: String, _ language: SourceLanguage = .swift) -> [Int] {
        Linter(unsure: .check).findings(in: source, language: language).map(\.start.line)
    }

    /// In them `self` is not an element, in any surroundings.
    @Test func typesAndStaticMembersInExtensionsOfElements() {
        let source = """
            extension Element {
                struct Form: P where A == B { func f() { find("a//b") } ; var x: Int { find("a//b") } }
                func f() throws { try find("a//4") }
                enum E { case x(Element); func f() { check("a//b") } ; class C { func g() { find("a//b") } } }
                final class C { init() { findFirst("a//b") } ; struct Inner {} ; func f() { find("a//b") } }
                actor A { func f() { find("a//b") } }
                static func make(_ a: () -> Void = {}, b: [Int] = [], c: () -> Int = { 1 }) { find("a//b") }
                var count: Int { find("a//8") }
                static let all: [Int] = { find("a//b") }()
                static var none = 0
                func g(class: Int, static: Int, extension: Int) { find("a//11") }
                class func h() { find("a//b") }
                class var h: Int { find("a//b") }
                func local() { struct S { func f() { find("a//b") } } ; find("a//14") }
                init(x: Int) { if let y = x.class { find("a//15") } }
                func h() { items.map { find("a//16") } ; switch x { case .a: find("a//16"); default: break } }
                subscript(i: Int) -> Int { find("a//17") }
                static subscript(i: Int) -> Int { find("a//b") }
            }
            func f() { find("a//b") }
            """
        #expect(lines(source) == [3, 8, 11, 14, 15, 16, 16, 17])
    }

    @Test(arguments: [#"a.find(("b//c"))"#, #"Query( ( ("b//c") ), options: [])"#, ##"#query(("b//\(c)"))"##])
    func literalsInParentheses(source: String) {
        #expect(lines(source) == [1])
    }

    @Test(arguments: [
        #"a.find(("b//c", d))"#, #"a.find(("b//c" + d))"#, #"a.find(("b//c").lowercased())"#, #"a.find(("b//c")"#,
        #"a.find(("b//c"#,
    ])
    func argumentsThatAreNotOnlyALiteral(source: String) {
        #expect(lines(source) == [])
    }

    @Test func literalsInParenthesesOfOtherLanguages() {
        #expect(lines(#"[a find:(@"b//c")]; [a find:(@"b/" "/c"), d]"#, .objectiveC) == [1, 1])
        #expect(lines(#"a:find(("b//c")) a:find(("b//" .. c)) a:find(("b//c"), 1)"#, .lua) == [1])
    }
}
