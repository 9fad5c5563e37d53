// "Did you mean": the offered repairs, and that they help.

import QuerySyntax
import TestSupport
import Testing

struct RepairTests {
    @Test func obviousRepairsAreShown() {
        for (query, repair) in [
            ("foo/", "foo"), ("a//b", "a/b"), ("//a", "a"), ("a///b", "a/b"), ("a//", "a"), ("foo/$", "foo/*$"),
            ("$", "*$"),
            ("foo/<a=b>", "foo<a=b>"), ("<a=b>@id", "/<a=b>@id"), ("../<a=b>@id", "../*<a=b>@id"),
            ("x<a>", "<a~^.*$>"), ("x<a=>", "<a~^$>"), ("x<a~>", "<a~^.*$>"), ("x<{u}a>", "<{u}a~^.*$>"),
            ("x<k=100%>", "<k=100%%>"), ("x<k=%yes>", "<k=%%yes>"), ("{}x", "{*}"), ("\\{}\\", "{*}"),
            ("@{*}a", "@a"), ("x<{*}a=b>", "x<a=b>"), ("a|int", "a#|int"), ("a|integer", "a#|int"), ("a|", "a"),
            ("..|int", "../#|int"), ("a@b|", "a@b"), ("..@id", "../@id"), ("..#", "../#"), ("a@id/", "a@id"),
            ("a#|integer", "|int"), ("$$", "*$"), ("a/$$$|int", "a/*$|int"), ("a$$", "a$"), ("a###", "a#"),
            ("/$$|int", "/$|int"),
            ("../##", "../#"), ("urn:x}a", "{urn:x}a"), ("a/http://b/c#d}e@f", "a/{http://b/c#d}e@f"),
            ("/@<type=error>@id", "/<type=error>@id"), ("a@<b~c>", "a<b~c>"),
            ("a<b~c{,3}>/d", "<b~c{0,3}>"), ("a<b~c{ 1, 3 }d{,2}>@e", "<b~c{1,3}d{0,2}>"),
            ("a<b~[{,3}]\\x{ 41 }c{ , 3}>", "<b~[{,3}]\\x{41}c{0,3}>"),
            ("a<b~\\N{,3}>", "<b~\\N{0,3}>"), ("a<b~\\N{ U+41 }>", "<b~\\N{U+41}>"),
            ("a<b~c{,65535}>", "<b~c{0,65535}>"),
            ("a<b~(?x)c{,3}#{ 1 }>", "<b~(?x)c{0,3}#{ 1 }>"), ("a<b~(?C'{,3}')c{,3}>", "<b~(?C'{,3}')c{0,3}>"),
            // PCRE2 refuses these bounds in any spelling.
            ("a<b~c{,65536}>", nil), ("a<b~c{,3}d{ 99999999999999999999 }>", nil), ("a<b~c{3 ,2}>", nil),
            ("a<@b=c>", "a<b=c>"), ("/<@b~c>@d", "/<b~c>@d"), ("@*", "@@"), ("a/b@*", "a/b@@"),
        ] {
            let first = ParsedQuery(parsing: query).diagnostics.first
            #expect(first?.repair == repair, "\(query)")
        }
    }

    @Test func oneTextShowsAllRepairs() throws {
        for (query, repair) in [
            ("//body/text()", "body#"), ("//a[@b='c']/text()", "a<b=c>#"), ("<a=b>/", "/<a=b>"), ("foo//b/", "foo/b"),
            // One mistake more than the limit.
            ("a//b//c//d//e", "a/b/c/d/e"), ("a//b//c//d//e//f", nil),
            // A repair may be shown although the query is long.
            ("a<b=\(String(repeating: "x", count: 200))>@c|integer", "|int"),
            ("a<b=\(String(repeating: "x", count: 200))>//c/", nil), ("a//\\(name)/b", "a/\\(name)/b"),
            // The last mistake has no repair.
            ("//a[1]", nil), ("//a/count(b)", nil),
        ] as [(String, String?)] {
            let first = try #require(ParsedQuery(parsing: query).diagnostics.first)
            let text = first.rendered(in: query)
            #expect(text.firstMatch(of: /did you mean '(.*)'\?/).map { String($0.1) } == repair, "\(text)")
            // Another query does no harm.
            #expect(first.rendered(in: "").hasPrefix("error: "))
        }
    }

    @Test func bracesOfPatternsAreCalledByTheirKind() {
        for (query, expectation) in [
            ("a<b~c{ 1}>", "expected bounds without spaces, the lower one first; write '\\{' for a brace that is text"),
            ("a<b~\\p{ L }>", "expected no spaces at the ends of these braces"),
            ("a<b~c{,99999}>", "expected bounds up to 65535, the most that PCRE2 repeats"),
        ] {
            #expect(ParsedQuery(parsing: query).diagnostics.first?.expectation == expectation)
        }
    }

    @Test func whatXPathWritesIsShownAsItIsWrittenHere() {
        for (query, repair) in [
            ("a[@b='c']", "a<b=c>"), ("a[@b=\"c d\"]/e#", "a<b=c d>/e#"), ("a[ @b = 'c' ]", "a<b=c>"),
            ("a[@b=7]", "a<b=7>"), ("a[@b]", "a<b~^.*$>"), ("*[@xml:lang='de']", "*<xml:lang=de>"),
            ("{u}a<d=e>[@b=='c']", "{u}a<d=e><b=c>"), ("/a[@b='c/d']@e", "/a<b=c/d>@e"),
            ("text()", "/#"), ("a/text()", "a#"), ("a/../text()|int", "a/../#|int"), ("/text()", "/#"),
            ("name()", "/$"), ("a/local-name()", "a$"),
            ("a<b!=c>", "<b~^(?!c$)>"), ("a<b!='c'>", nil), ("a<b!=c.d>", nil), ("a<b!=>", nil), ("/a|/b", nil),
            (".//a", nil), ("a@b='c'", "a<b=c>"), ("a/@b = 'c'", nil), ("a/@b='c'", "a<b=c>"), ("@b='c'", "/<b=c>"),
            ("/@b==c", "/<b=c>"), ("a<d~e>@b=\"c\"", "a<d~e><b=c>"),
            ("//a", "a"), ("//a/b", "a/b"),
            // The construct has no counterpart, or the parser cannot find its end.
            ("a[1]", nil), ("a[b]", nil), ("a[@b='c' and @d]", nil), ("a[@b='c", nil), ("a[@b='>']", nil),
            ("a[@b='5%']", nil), ("a[@b='']", nil), ("[@b]", nil), ("..[@b]", nil), ("a[not(@b)]", nil), ("a[", nil),
            ("count(a)", nil), ("a/text()/b", nil), ("text(a)", nil), ("a@b/text()", nil), ("text(", nil),
            ("../@b='c'", nil), ("a@b!='c'", nil), ("a@b='c'/d", nil), ("a@b=", nil), ("a<@b>", nil), ("a<@>", nil),
        ] {
            let first = ParsedQuery(parsing: query).diagnostics.first
            #expect(first?.repair == repair, "\(query)")
        }
    }

    @Test func nothingIsOfferedWhereNothingIsObvious() {
        for query in [
            "/", "//", "a*", "!", "!*", "..<a=b>", "a@", "<a=b>|int", "x<k=%*d>", "x<k=%1$@>", "a@b/c", "\\\\|int",
            "a@@|int",
            "a#|frobnicate", "a|frobnicate", "a<b=c", "|int", "$a", "$$a", "a$$a", "a##$", "a@@@", "$/a", "a$$/b",
            "a$#", "a@b#", "@{*}{*}a", "http://a/b#c", "http://a{b}", "!a}", "a/@<b=c>", "a@<b", "..@<b=c>", "@<b=c>",
            "a@<<b~c>", ".😀@<<a~b>", "a@<b=>", "a@<=b>",
        ] {
            let first = ParsedQuery(parsing: query).diagnostics.first
            #expect(first != nil && first?.repair == nil, "\(query)")
        }
    }

    /// A second repair of the same slashes would bring the next mistake, and could not be applied beside the first.
    @Test func aRunOfSlashesIsRepairedOnce() {
        for (query, repairs) in [
            ("a//", ["a", nil]), ("a///", ["a", nil, nil]), ("//", [nil, nil]), ("///a", ["a", nil]),
            ("a///b//c/", ["a/b//c/", nil, "a///b/c/", "a///b//c"]), ("a@id/", ["a@id", nil]),
            ("a#|integer/", ["a#|integer", "|int", nil]), ("a@id//", [nil, "a@id", nil]),
        ] {
            #expect(ParsedQuery(parsing: query).diagnostics.map(\.repair) == repairs, "\(query)")
        }
    }

    /// All repairs of a query can be applied together.
    @Test func noTwoRepairsChangeTheSame() {
        var random = SeededGenerator(salt: 22)
        var tried = 0
        for _ in 0..<20_000 {
            let query = RandomText.make(upTo: 8, using: &random)
            let fixes = ParsedQuery(parsing: query).diagnostics.compactMap { $0.fix?.range }
                .sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
            for (first, second) in zip(fixes, fixes.dropFirst()) {
                tried += 1
                #expect(
                    first.upperBound <= second.lowerBound && first != second,
                    "\(query.debugDescription), seed \(SeededGenerator.seed)")
            }
        }
        #expect(tried > 10, "seed \(SeededGenerator.seed)")
    }

    /// A repair takes its mistake away and does not bring one to the left.
    @Test func repairsHelp() {
        var random = SeededGenerator(salt: 21)
        var tried = 0
        for _ in 0..<6_000 {
            let query = RandomText.make(upTo: 6, using: &random)
            for diagnostic in ParsedQuery(parsing: query).diagnostics.prefix(1) {
                guard let fix = diagnostic.fix else { continue }
                tried += 1
                var bytes = Array(query.utf8)
                bytes.replaceSubrange(fix.range, with: fix.replacement.utf8)
                let repaired = String(decoding: bytes, as: UTF8.self)
                #expect(repaired.utf8.contains(fix.shown.utf8) || fix.shown == "{*}", "\(query.debugDescription)")
                let next = ParsedQuery(parsing: repaired).diagnostics.first
                let moved = next.map { $0.range.lowerBound - diagnostic.range.lowerBound } ?? .max
                #expect(
                    moved > 0 || next?.problem != diagnostic.problem,
                    "\(query.debugDescription) → \(repaired.debugDescription), seed \(SeededGenerator.seed)"
                )
            }
        }
        #expect(tried > 100, "seed \(SeededGenerator.seed)")
    }

    @Test func similarConversionsAreFound() {
        for (name, meant) in [
            ("integer", "int"), ("Int", "int"), ("INT", "int"), ("itn", "int"), ("boolean", "bool"), ("bol", "bool"),
            ("Bool", "bool"), ("float", "double"), ("duoble", "double"), ("date", "datetime"), ("dateTime", "datetime"),
            ("timestamp", "datetime"), ("unsigned", "uint"), ("unit", "uint"), ("base-64", "base64"),
            ("bas64", "base64"),
            ("data", "base64"), ("guid", "uuid"), ("uid", "uuid"), ("uuid4", "uuid"), ("uuidcat", "uuidcast"),
            ("int ", "int"),
        ] {
            #expect(ParsedQuery(parsing: "a#|\(name)").diagnostics.first?.repair == "|\(meant)", "\(name)")
        }
    }
}
