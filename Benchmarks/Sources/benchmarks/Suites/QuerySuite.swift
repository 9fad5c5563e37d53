// The costs of queries beside the ten: compiling them, arguments, regular expressions, data forms.

import StanzaQuery
import _StanzaLimit

struct QuerySuite {
    let bench: Bench

    func run() throws {
        try addCompilation()
        try addVariants(
            "Arguments", "`check` on every stanza; the arguments are bound for each of them.",
            try ArgumentCheck.all().map { ($0.name, $0.source, $0.run) })
        try addQueries(
            "Regular expressions", "`check` of the stanza's `type`, which most stanzas have.",
            [
                ("equality, no expression", "/{*}*<type=result>"),
                ("literal", "/{*}*<type~^result$>"),
                ("prefix", "/{*}*<type~^res>"),
                ("contained", "/{*}*<type~sul>"),
                ("alternation", "/{*}*<type~^(result|error)$>"),
                ("real", #"/{*}*<type~^[gs]et|r\w+t$>"#),
                ("real, back-reference", #"/{*}*<id~(\w)\1>"#),
            ])
        try addQueries(
            "Data forms", "`check` on every stanza; the last row is the same question asked with a path.",
            [
                ("any form", #"{*}query/\\"#),
                ("by form type", #"{*}query/\{urn:xmpp:http:upload:0}result\"#),
                ("a field", #"{*}query/\result@max-file-size\"#),
                ("a field, converted", #"{*}query/\result@max-file-size\|int"#),
                ("a field's description", #"{*}query/\result&max-file-size\"#),
                ("with a path", "{*}query/{jabber:x:data}x<type=result>/field<var=max-file-size>/value#"),
            ])
        try addForms()
    }

    /// The same where every stanza has a form: what the corpus has of them, below the stanza's child.
    private func addForms() throws {
        let hasForm = try Query(#"{*}*/\\"#)
        let elements = try bench.elements.filter { try $0.check(hasForm) }
        try addVariants(
            "Data forms, where there are any",
            "`check` on the \(elements.count) stanzas of the corpus that have a form below their child.",
            try [
                ("any form", #"{*}*/\\"#),
                ("by form type", #"{*}*/\{http://jabber.org/protocol/muc#roomconfig}*\"#),
                ("by type", #"{*}*/\submit\"#),
                ("a field that most have", #"{*}*/\@FORM_TYPE\"#),
                ("a field that few have", #"{*}*/\@pubsub#access_model\"#),
                ("a field, converted", #"{*}*/\@pubsub#max_items\|int"#),
                ("a field's description", #"{*}*/\&pubsub#access_model\"#),
                ("with a path", "{*}*/{jabber:x:data}x/field<var=pubsub#access_model>/value#"),
            ].map { name, source in
                let query = try Query(source)
                return (name, source, { try Self.check(query, $0) })
            }, elements)
    }

    private func addCompilation() throws {
        let libxml2 = BenchmarkQuery.all.map(\.libxml2)
        let pugixml = BenchmarkQuery.all.map(\.pugixml)
        let timings = try bench.stopwatch.time(
            "compilation", agreeing: false,
            [
                Contender("compiled") {
                    try BenchmarkQuery.all.reduce(0) { $0 + (try compiledAnew($1.stanza).argumentCount) }
                },
                Contender("pugixml XPath") { try pugixml.reduce(0) { $0 + (try PugiXMLQueries.compile($1)) } },
                Contender("libxml2 XPath") { try libxml2.reduce(0) { $0 + (try LibXML2Queries.compile($1)) } },
            ])
        let bytes = try Counter.bytes { try BenchmarkQuery.all.map { try compiledAnew($0.stanza) } }
        bench.report.add(
            Section(
                "Compilation",
                note: "Microseconds per query, mean of the ten. Together they keep \(bytes) bytes, "
                    + "their texts included.",
                columns: ["engine", "µs per query"],
                rows: timings.map { [$0.name, ($0.nanoseconds / 1e3 / Double(BenchmarkQuery.all.count)).short] },
                plot: .bars(
                    unit: "µs per query",
                    values: timings.map { ($0.name, $0.nanoseconds / 1e3 / Double(BenchmarkQuery.all.count)) })))
    }

    private func addQueries(_ title: String, _ note: String, _ queries: [(name: String, source: String)]) throws {
        try addVariants(
            title, note,
            try queries.map { name, source in
                let query = try Query(source)
                return (name, source, { try Self.check(query, $0) })
            })
    }

    private func addVariants(
        _ title: String, _ note: String, _ variants: [(name: String, source: String, run: ([Element]) throws -> Int)],
        _ chosen: [Element]? = nil
    ) throws {
        let elements = chosen ?? bench.elements
        var rows: [[String]] = []
        var values: [(name: String, value: Double)] = []
        let contenders = variants.map { variant in Contender(variant.name) { try variant.run(elements) } }
        let timings = try bench.stopwatch.time(title, agreeing: false, contenders)
        for ((variant, contender), timing) in zip(zip(variants, contenders), timings) {
            let nanoseconds = timing.nanoseconds / Double(elements.count)
            rows.append([variant.name, "`\(variant.source)`", "\(try contender.run())", nanoseconds.short])
            values.append((variant.name.replacing("`", with: ""), nanoseconds))
        }
        bench.report.add(
            Section(
                title, note: "Nanoseconds per stanza. \(note)", columns: ["kind", "query", "stanzas found", "ns"],
                rows: rows, plot: .bars(unit: "ns per stanza", values: values)))
    }

    @inline(never)
    static func check(_ query: Query<QueryValue>, _ elements: [Element]) throws -> Int {
        var count = 0
        for element in elements where try element.check(query) { count += 1 }
        return count
    }
}
