// The expansions of the macros: separate storage where a place can have it, the cache elsewhere.

import MacroTestSupport
import Testing

@Suite struct ExpansionTests {
    @Test func storage() {
        expectExpansion(
            of: ##"func f() { g(#query<Bool>(#"\@f\|bool"#)) }"##,
            ##"""
            func f() { g({ () -> StanzaQuery.Query<StanzaQuery._QueryResultTypes.Boolean> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Boolean>(#"\@f\|bool"#)()
                }
                return __macro_local_4SitefMu_.query
            }()) }
            """##)
    }

    @Test func typeOfTheProgram() {
        expectExpansion(
            of: ##"func f() { g(#query<Own>("a@b"), #query<Swift.String>("a@b")) }"##,
            ##"""
            func f() { g({ () -> StanzaQuery.Query<Own> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = StanzaQuery._CheckedQuery<Own>("a@b")()
                }
                return __macro_local_4SitefMu_.query
            }(), { () -> StanzaQuery.Query<StanzaQuery._QueryResultTypes.Text> in
                enum __macro_local_4SitefMu0_ {
                    nonisolated static let query = StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text>("a@b")()
                }
                return __macro_local_4SitefMu0_.query
            }()) }
            """##)
    }

    @Test func values() {
        expectExpansion(
            of: ##"func f() { g(#query("\(a.b)<c=x\(try d())>@e")) }"##,
            ##"""
            func f() { g({ () -> StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text>("", "<c=x", ">@e")
                }
                return __macro_local_4SitefMu_.query
            }()((a.b).queryArgument, (try d()).queryArgument)) }
            """##)
    }

    @Test(arguments: [
        "func f<T>(t: T) { • }", "func f(t: some P) { • }", "func f(t: [(some P)?]) { • }",
        "struct S<T> { var q = •\n}",
        "extension S { var q = •\n}", "struct S { var q = •\n}", "struct S { var q: Q { get throws { • } }\n}",
        "@inlinable func f() { • }", "struct S { init(t: some P) { • }\n}",
        "struct S<T> { func f() { func g() { • } }\n}", "struct S { subscript<T>(t: T) -> Int { • }\n}",
        "struct S { var q = { • }()\n}", "struct S { subscript(t: Int) -> Int { • }\n}", "let q = •", "let q = { • }",
        "func f() { struct S { var q = •\n}\n}", "func f(g: () -> Q = { • }) { }",
        "func f(g: G = G { 1 }) { h { • } }",
    ]) func cache(place: String) {
        expectExpansion(
            of: place.replacing("•", with: "#query(\"a\")"),
            place.replacing(
                "•", with: "StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.TreeElement>.cached(\":a\")()"))
        expectExpansion(
            of: place.replacing("•", with: "#query(\"a<b=\\(c)>#\")"),
            place.replacing(
                "•",
                with:
                    "StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text>.cached(\"4:a<b=>#\")((c).queryArgument)"
            ))
    }

    @Test func cacheOfTwoSlots() {
        expectExpansion(
            of: "let q = { #query(\"a<b=\\(c)>/c<d=\\(e)>#\") }",
            "let q = { StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text>.cached(\"4 10:a<b=>/c<d=>#\")"
                + "((c).queryArgument, (e).queryArgument) }")
    }

    @Test func textsForValuesThatAreMissing() {
        let checked = "StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text>"
        expectExpansion(
            of: "let q = #query(\"a<b=\\(c, default: d ?? \"e\")>#\")",
            "let q = \(checked).cached(\"4:a<b=>#\")(\(checked).argument(c, default: d ?? \"e\"))")
    }

    @Test func properties() {
        expectExpansion(
            of: "enum Q {\n    #queries([\"a\": \"b@c|datetime\"])\n}",
            """
            enum Q {
                nonisolated static let a = StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Datetime>("b@c|datetime")()
            }
            """)
        expectExpansion(
            of: "enum Q<T> {\n    #queries([\"a\": \"b@@\"])\n}",
            """
            enum Q<T> {
                nonisolated static var a: StanzaQuery.Query<StanzaQuery._QueryResultTypes.Attributes> {
                    StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Attributes>.cached(":b@@")()
                }
            }
            """)
    }
}
