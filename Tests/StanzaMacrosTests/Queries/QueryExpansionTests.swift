// The expansions of `#query`: the query as one literal, by whose address the cache keeps it.

import Testing

@Suite struct QueryExpansionTests {
    private let template = "StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes"

    @Test func aQueryWithoutSlots() {
        expectExpansion(of: ##"#query<Bool>(#"\@f\|bool"#)"##, ##"\##(template).Boolean>(#":\@f\|bool"#)()"##)
        expectExpansion(of: "#query(\"a\")", "\(template).TreeElement>(\":a\")()")
    }

    @Test(arguments: [("Own", "Own"), ("Swift.String", "StanzaQuery._QueryResultTypes.Text")])
    func typeOfTheProgram(written: String, type: String) {
        expectExpansion(of: "#query<\(written)>(\"a@b\")", "StanzaQuery._CheckedTemplate<\(type)>(\":a@b\")()")
    }

    @Test func values() {
        expectExpansion(
            of: ##"#query("\(a.b)<c=x\(try d())>@e")"##,
            "\(template).Text>(\"0 4:<c=x>@e\")((a.b).queryArgument, (try d()).queryArgument)")
    }

    @Test func textsForValuesThatAreMissing() {
        expectExpansion(
            of: "#query(\"a<b=\\(c, default: d ?? \"e\")>#\")",
            "\(template).Text>(\"4:a<b=>#\")(\(template).Text>.argument(c, default: d ?? \"e\"))")
    }

    @Test func regularExpressionsAndOptions() {
        expectExpansion(
            of: "#query(regex: \"a<b~c>\", options: .x)", "\(template).TreeElement>(\":a<b~c>\", options: .x)().query")
        expectExpansion(
            of: "#query(\"a<b=\\(c)>#\", options: [.x, .y])",
            "\(template).Text>(\"4:a<b=>#\", options: [.x, .y])((c).queryArgument)")
    }

    @Test func properties() {
        expectExpansion(
            of: "enum Q { #queries([\"a\": \"b@c|datetime\"], options: .x) }",
            """
            nonisolated static var a: StanzaQuery.CheckedQuery<StanzaQuery._QueryResultTypes.Datetime> {
                \(template).Datetime>(":b@c|datetime", options: .x)()
            }
            """)
        expectExpansion(
            of: "enum Q<T> { #queries([\"a\": \"b<c~d>#\"]) }",
            """
            nonisolated static var a: StanzaQuery.Query<StanzaQuery._QueryResultTypes.Text> {
                \(template).Text>(":b<c~d>#")().query
            }
            """)
    }
}
