// Objective-C's messages: which are calls with a query, and which results are conditions.

import StanzaLint
import Testing

struct MessageTests {
    private func findings(_ source: String) -> [String] {
        Linter(unsure: .check).findings(in: source, language: .objectiveC).map { "\($0.start.column) \($0.rule.name)" }
    }

    @Test(arguments: [
        #"[a find:@"b//c"]"#, #"[[a b] check:@"b//c"]"#, #"[a[0] findFirst:@"b//c", d]"#, #"[a[@"k"] find : @"b//c"]"#,
        #"[A::b find:@"b//c"]"#, #"[x y:^{ [a find:@"b//c"]; } z:1]"#, #"@[[a find:@"b//c"]]"#,
        #"[x foo:bar[0] baz:@{@"k": [a find:@"b//c"]}]"#, "#if A\n[x y:\n#endif\n}\n[a find:@\"b//c\"]",
    ])
    func messages(source: String) {
        #expect(findings(source).map { $0.suffix(6) } == ["syntax"])
    }

    /// Other selectors, and names that are not selectors.
    @Test(arguments: [
        #"[x replace:a find:@"b//c"]"#, #"[x a:b check:@"b//c"]"#, #"x = a ? find : @"b//c";"#, #"@{find: @"b//c"}"#,
        #"[x y:a ? check : @"b//c"]"#, #"@[a ? check : @"b//c"]"#, #"[x find:@"b//c" in:d]"#, #"find: @"b//c""#,
    ])
    func otherSelectors(source: String) {
        #expect(findings(source) == [])
    }

    @Test(arguments: [
        #"if([a findFirst:@"b@c|bool"]) {}"#, #"while ( [a findFirst:@"b@c|bool"] ) {}"#,
        #"x = ![a findFirst:@"b@c|bool"];"#, #"if(x && [[a b] findFirst:@"b@c|bool"]) {}"#,
        #"if([a findFirst:@"b@c|bool"] || x) {}"#, #"f(x || [a findFirst:@"b<c=%@>@d|bool", e], y)"#,
        #"return ![a findFirst:@"b@c|bool"] ? x : y;"#, #"if([b x:c] && ![a findFirst:@"b@c|bool"] && x) {}"#,
    ])
    func truth(source: String) {
        #expect(findings(source).map { $0.split(separator: " ").last } == ["truth-of-bool"])
    }

    @Test(arguments: [
        #"if([[a findFirst:@"b@c|bool"] boolValue]) {}"#, #"if(![[a findFirst:@"b@c|bool"] boolValue]) {}"#,
        #"if([a findFirst:@"b@c|bool"] != nil) {}"#, #"if(nil == [a findFirst:@"b@c|bool"]) {}"#,
        #"if([a findFirst:@"b@c|bool"].boolValue) {}"#, #"if(![a findFirst:@"b@c|bool"].boolValue) {}"#,
        #"if([a findFirst:@"b@c|int"]) {}"#, #"if([a findFirst:@"b@c"]) {}"#, #"x = [a findFirst:@"b@c|bool"];"#,
        #"f([a findFirst:@"b@c|bool"])"#, #"x = [a findFirst:@"b@c|bool"] ?: @NO;"#,
        #"if([x y:[a findFirst:@"b@c|bool"]]) {}"#, #"if([@YES isEqual:[a findFirst:@"b@c|bool"]]) {}"#,
        #"x = y & [a findFirst:@"b@c|bool"];"#, #"if((x = [a findFirst:@"b@c|bool"])) {}"#,
    ])
    func noTruth(source: String) {
        #expect(findings(source) == [])
    }
}
