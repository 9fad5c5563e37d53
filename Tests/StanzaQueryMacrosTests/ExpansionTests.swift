// The expansions of the macros: separate storage where a place can have it, the cache elsewhere.

import MacroTestSupport
import Testing

@Suite struct ExpansionTests {
    @Test func storage() {
        expectExpansion(
            of: ##"#query<Bool>(#"\@f\|bool"#)"##, within: function,
            ##"""
            { () -> StanzaQuery.Query<StanzaQuery._QueryResultTypes.Boolean> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Boolean>(#"\@f\|bool"#)()
                }
                return __macro_local_4SitefMu_.query
            }()
            """##)
    }

    private let function = ["func f()"]

    @Test(arguments: [("Own", "Own"), ("Swift.String", "StanzaQuery._QueryResultTypes.Text")])
    func typeOfTheProgram(written: String, type: String) {
        expectExpansion(
            of: "#query<\(written)>(\"a@b\")", within: function,
            """
            { () -> StanzaQuery.Query<\(type)> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = StanzaQuery._CheckedQuery<\(type)>("a@b")()
                }
                return __macro_local_4SitefMu_.query
            }()
            """)
    }

    @Test func values() {
        expectExpansion(
            of: ##"#query("\(a.b)<c=x\(try d())>@e")"##, within: function,
            ##"""
            { () -> StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text>("", "<c=x", ">@e")
                }
                return __macro_local_4SitefMu_.query
            }()((a.b).queryArgument, (try d()).queryArgument)
            """##)
    }

    @Test(arguments: [
        // Generic functions and types; an extension may be one of a generic type.
        ["func f<T>(t: T)"], ["func f(t: some P)"], ["func f(t: [(some P)?])"], ["init(t: some P)", "struct S {}"],
        ["func g()", "func f()", "struct S<T> {}"], ["subscript<T>(t: T) -> Int", "struct S {}"],
        ["struct S<T> {}"], ["extension S {}"],
        // Properties and subscripts, and the closures in them.
        [], ["{}"], ["struct S {}"], ["{}", "struct S {}"], ["get throws", "struct S {}"], ["struct S {}", "func f()"],
        ["subscript(t: Int) -> Int", "struct S {}"],
        // Functions that other modules compile, or may compile in part.
        ["@inlinable func f()"], ["{}", "func f(g: () -> Q = { #query(\"a\") })"], ["{}", "func f(g: G = G { 1 })"],
    ]) func cache(surroundings: [String]) {
        let checked = "StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes"
        expectExpansion(of: "#query(\"a\")", within: surroundings, "\(checked).TreeElement>.cached(\":a\")()")
        expectExpansion(
            of: "#query(\"a<b=\\(c)>#\")", within: surroundings,
            "\(checked).Text>.cached(\"4:a<b=>#\")((c).queryArgument)")
    }

    @Test func cacheOfTwoSlots() {
        expectExpansion(
            of: "#query(\"a<b=\\(c)>/c<d=\\(e)>#\")",
            "StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text>.cached(\"4 10:a<b=>/c<d=>#\")"
                + "((c).queryArgument, (e).queryArgument)")
    }

    @Test func textsForValuesThatAreMissing() {
        let checked = "StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Text>"
        expectExpansion(
            of: "#query(\"a<b=\\(c, default: d ?? \"e\")>#\")",
            "\(checked).cached(\"4:a<b=>#\")(\(checked).argument(c, default: d ?? \"e\"))")
    }

    @Test func properties() {
        expectExpansion(
            of: "enum Q { #queries([\"a\": \"b@c|datetime\"]) }",
            """
            nonisolated static let a = StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Datetime>("b@c|datetime")()
            """)
        expectExpansion(
            of: "enum Q<T> { #queries([\"a\": \"b@@\"]) }",
            """
            nonisolated static var a: StanzaQuery.Query<StanzaQuery._QueryResultTypes.Attributes> {
                StanzaQuery._CheckedQuery<StanzaQuery._QueryResultTypes.Attributes>.cached(":b@@")()
            }
            """)
    }
}
