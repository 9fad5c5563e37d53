// The expansions of the macros: separate storage where a place can have it, the cache elsewhere.

import MacroTestSupport
import Testing

@Suite struct ExpansionTests {
    @Test func storage() {
        expectExpansion(
            of: ##"#query<Bool>(#"\@f\|bool"#)"##, within: function,
            ##"""
            { () -> StanzaQuery.CheckedQuery<StanzaQuery._QueryResultTypes.Boolean> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes.Boolean>(#"\@f\|bool"#)()
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
            { () -> StanzaQuery.CheckedQuery<\(type)> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = StanzaQuery._CheckedTemplate<\(type)>("a@b")()
                }
                return __macro_local_4SitefMu_.query
            }()
            """)
    }

    @Test func values() {
        expectExpansion(
            of: ##"#query("\(a.b)<c=x\(try d())>@e")"##, within: function,
            ##"""
            { () -> StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes.Text> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes.Text>("", "<c=x", ">@e")
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
        let checked = "StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes"
        expectExpansion(of: "#query(\"a\")", within: surroundings, "\(checked).TreeElement>.cached(\":a\")()")
        expectExpansion(
            of: "#query(\"a<b=\\(c)>#\")", within: surroundings,
            "\(checked).Text>.cached(\"4:a<b=>#\")((c).queryArgument)")
    }

    @Test func cacheOfTwoSlots() {
        expectExpansion(
            of: "#query(\"a<b=\\(c)>/c<d=\\(e)>#\")",
            "StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes.Text>.cached(\"4 10:a<b=>/c<d=>#\")"
                + "((c).queryArgument, (e).queryArgument)")
    }

    @Test func regularExpressionsAndOptions() {
        let checked = "StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes"
        expectExpansion(
            of: "#query(regex: \"a<b~c>\", options: .x)",
            "\(checked).TreeElement>.cached(\":a<b~c>\", options: .x)().query")
        expectExpansion(
            of: "#query(\"a<b=\\(c)>#\", options: [.x, .y])",
            "\(checked).Text>.cached(\"4:a<b=>#\", options: [.x, .y])((c).queryArgument)")
        expectExpansion(
            of: "enum Q { #queries([\"a\": \"b<c~d>#\"], options: .x) }",
            "nonisolated static let a = \(checked).Text>(\"b<c~d>#\", options: .x)().query")
        expectExpansion(
            of: "#query(regex: \"a<b~c>\", options: .x)", within: function,
            """
            { () -> StanzaQuery.CheckedQuery<StanzaQuery._QueryResultTypes.TreeElement> in
                enum __macro_local_4SitefMu_ {
                    nonisolated static let query = \(checked).TreeElement>("a<b~c>", options: .x)()
                }
                return __macro_local_4SitefMu_.query
            }().query
            """)
    }

    @Test func textsForValuesThatAreMissing() {
        let checked = "StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes.Text>"
        expectExpansion(
            of: "#query(\"a<b=\\(c, default: d ?? \"e\")>#\")",
            "\(checked).cached(\"4:a<b=>#\")(\(checked).argument(c, default: d ?? \"e\"))")
    }

    @Test func properties() {
        expectExpansion(
            of: "enum Q { #queries([\"a\": \"b@c|datetime\"]) }",
            """
            nonisolated static let a = StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes.Datetime>("b@c|datetime")()
            """)
        expectExpansion(
            of: "enum Q<T> { #queries([\"a\": \"b@@\"]) }",
            """
            nonisolated static var a: StanzaQuery.CheckedQuery<StanzaQuery._QueryResultTypes.Attributes> {
                StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes.Attributes>.cached(":b@@")()
            }
            """)
    }
}
