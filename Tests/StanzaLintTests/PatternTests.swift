// Literals with quotes that are not strings: regular expressions of Swift, raw strings and numbers of C++. Also lines
// that continue.

import StanzaLint
import Testing

struct PatternTests {
    private func places(_ source: String, _ language: SourceLanguage) -> [String] {
        Linter(unsure: .check).findings(in: source, language: language).map { "\($0.start.line):\($0.start.column)" }
    }

    @Test(arguments: [
        #"let r = /"/; a.find("b//c")"#, #"f(/a"b\//, #/ " / /#); a.find("b//c")"#, #"return /["]+/.f(a.find("b//c"))"#,
        ##"x = ##/ "/# " \/## /##; a.find("b//c")"##, "#/\n  \" # it's a \"\n  /# ; a.find(\"b//c\")",
        // Divisions, and operators as values.
        #"let q = a / b; let r = "/" + a.find("b//c")"#, #"x = (a)/b; a.find("b//c"); y = "/""#,
        #"x = y /z; a.find("b//c"); "/""#, #"f(1, /) + x / a.find("b//c")"#,
        #"x /= y; a.find("b//c"); "/""#,
    ])
    func regularExpressionsOfSwift(source: String) {
        #expect(places(source, .swift).count == 1, "\(source)")
    }

    @Test(arguments: [
        #"let r = /a.find("b\/\/c")/"#, ##"f(#/ a.find("b//c") /#)"##, "#/\n a.find(\"b//c\")\n/#",
        #"let r = /"/; log("a.find(\"b//c\")")"#,
    ])
    func callsInRegularExpressions(source: String) {
        #expect(places(source, .swift) == [])
    }

    @Test(arguments: [
        #"x = R"(a " b)"; [a find:@"b//c"];"#, #"x = u8R"--( )" " )--"; [a find:@"b//c"];"#,
        #"int n = 1'000; [a find:@"b//c"];"#, #"x = u8'"'; [a find:@"b//c"];"#,
        #"int n = 0xFF'ab, m = 0xA'B'C; [a find:@"b//c"];"#, #"x = U'1' + '"'; [a find:@"b//c"];"#,
        #"x = L'"'; y = '\''; [a find:@"b//c"];"#,
        "x = R\"(\n\"[a find:@\"b//c\"]\n)\"; [a find:@\"b//c\"];", #"x = FOUR"(a)"; [a find:@"b//c"];"#,
        "#define X [a find: \\\n  @\"b//c\"]", "[a find: \\\r\n  @\"b//c\"]",
    ])
    func rawStringsAndNumbers(source: String) {
        #expect(places(source, .objectiveC).count == 1, "\(source)")
    }

    @Test func commentsOfObjectiveCGoOn() {
        #expect(places("// a \\\n[a find:@\"b//c\"];\n[a find:@\"b//c\"];", .objectiveC) == ["3:13"])
        #expect(places("// a \\\r\n[a find:@\"b//c\"];\r\n[a find:@\"b//c\"];", .objectiveC) == ["3:13"])
        #expect(places("// a \\\na.find(\"b//c\")", .swift) == ["2:11"])
    }

    @Test func lineBreaksAfterBackslashes() {
        func queries(_ source: String, _ language: SourceLanguage) -> [String] {
            Linter(unsure: .check).findings(in: source, language: language).map(\.query)
        }
        #expect(Set(queries("[a find:@\"b\\\r\n//c\\e\"]", .objectiveC)) == ["b//c\u{1B}"])
        #expect(queries("a:find('{b}c\\\r\n/d')", .lua) == ["{b}c\n/d"])
        #expect(queries("a:find('{b}c\\\n/d')", .lua) == ["{b}c\n/d"])
    }
}
