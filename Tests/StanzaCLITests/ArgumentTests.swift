// Arguments and mistakes of queries on the command line, and their exit codes.

import StanzaCLI
import Testing

@Suite("Arguments of find")
struct ArgumentTests {
    @Test(
        "get their type from the specifier",
        arguments: [
            ("%d", "-5", "-5"), ("%i", "+7", "7"), ("%u", "18446744073709551615", "18446744073709551615"),
            ("%x", "255", "ff"), ("%X", "255", "FF"), ("%o", "8", "10"),
            ("%f", "1.5", "1.500000"), ("%.1f", "2", "2.0"), ("%e", "1e3", "1.000000e+03"), ("%g", "-0.5", "-0.5"),
            ("%@", "-5", "-5"), ("%s", "x y", "x y"), ("%@", "", ""), ("%@", "--json", "--json"),
            ("%c", "x", "x"), ("%c", "5", "5"), ("%c", "65", "A"), ("%c", "é", "é"),
        ])
    func types(specifier: String, argument: String, printed: String) {
        let input = "<a k='-\(printed)'/>"
        let result = stanza("find", "/a<k=-\(specifier)>@k", "--arg", argument, input: input)
        #expect(result.lines == ["-\(printed)"])
        #expect(result.errors.isEmpty)
    }

    @Test("are taken in order, by the specifiers of all filters")
    func order() {
        let input = "<a j='x:1' k='2'><b l='3'/></a>"
        let query = "/a<j=%@:%d><j~x><k=%d>/b<l=%s>@l"
        #expect(
            stanza("find", "--arg", "x", "--arg=1", query, "--arg", "2", "--arg", "3", input: input).lines == ["3"])
    }

    @Test(
        "that are wrong are reported without any input",
        arguments: [
            ("a<k=%d>", ["x"]), ("a<k=%d>", ["1.5"]), ("a<k=%u>", ["-1"]), ("a<k=%f>", ["x"]), ("a<k=%f>", ["inf"]),
            ("a<k=%f>", ["nan"]), ("a<k=%f>", ["0x10"]), ("a<k=%d>", ["0x10"]), ("a<k=%f>", ["1e400"]),
            ("a<k=%f>", [" 1"]), ("a<k=%g>", ["0x1p3"]),
            ("a<k=%c>", ["xy"]), ("a<k=%c>", [""]), ("a<k=%d>", []), ("a<k=%d>", ["1", "2"]), ("a", ["1"]),
            ("a<k=%d>", ["18446744073709551616"]), ("a<k=%d>", [""]),
        ])
    func wrong(query: String, arguments: [String]) {
        let result = stanza(["find", query] + arguments.flatMap { ["--arg", $0] }, input: [])
        #expect(result.status == .usage)
        #expect(result.errors.hasPrefix("error: "))
        #expect(result.errors.contains("\n  \(query)\n"))
        #expect(result.errors.contains("^"))
    }

    @Test("that are missing have an option, which the message names")
    func missing() {
        for command in [["find", "/a<k=%d>"], ["explain", "/a<k=%d>", "--on", "f"]] {
            let result = stanza(command, input: [], files: ["f": "<a/>"])
            #expect(
                result.errors
                    == "error: no argument for '%d'\n  /a<k=%d>\n       ^~ expected one argument for every specifier\n"
                    + "  '--arg VALUE' sets an argument\n")
        }
        #expect(!stanza("find", "a<k=%d>", "--arg", "x").errors.contains("sets an argument"))
    }

    /// The argument parser would take the query as the value.
    @Test("have no empty value after a '='", arguments: ["--arg=", "--query=", "--default-namespace="])
    func emptyValues(option: String) {
        for arguments in [[option, "/m<v=%@>$"], ["/m<v=%@>$", option]] {
            let result = stanza(["find"] + arguments, input: [])
            #expect(result.status == .usage && result.errors.contains("'\(option)' has no value"))
        }
        #expect(stanza("find", "--arg", "", "/m<v=%@>$", input: "<m v=''/>").lines == ["m"])
        #expect(!stanza("find", "--", "--m=", input: "<m/>").errors.contains("has no value"))
        #expect(stanza("find", "--arg", "--x=", "/m<v=%@>$", input: "<m v='--x='/>").lines == ["m"])
        #expect(stanza("find", "--arg=--x=1", "/m<v=%@>$", input: "<m v='--x=1'/>").lines == ["m"])
    }

    @Test("can be the empty query, and a query that begins like an option")
    func unusualQueries() {
        #expect(stanza("find", "", input: "<a/>").status == .success)
        #expect(stanza("find", "--", "-a", input: "<a/>").status == .nothing)
    }
}

@Suite("Exit codes")
struct ExitStatusTests {
    @Test("of wrong queries are 2, with the query drawn")
    func wrongQuery() {
        let result = stanza("find", "{urn:xmpp:mam:2}fin@count|integer", input: "<a/>")
        #expect(result.status == .usage)
        #expect(result.output.isEmpty)
        #expect(
            result.errors == """
                error: unknown conversion 'integer'
                  {urn:xmpp:mam:2}fin@count|integer
                                            ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
                  did you mean '|int'?

                """)
        #expect(stanza("find", "--xml", "a//b", input: "<a/>").output.isEmpty)
    }

    @Test(
        "of wrong commands are 2",
        arguments: [
            [], ["find"], ["help", "frobnicate"], ["find", "a", "--no-such-option"], ["find", "a", "--max-depth", "0"],
            ["find", "a", "--max-stanza-bytes", "-1"], ["find", "a", "--max-depth", "x"], ["explain"], ["conformance"],
            ["explain", "a", "b"],
        ])
    func wrongCommand(arguments: [String]) {
        let result = stanza(arguments, input: [])
        #expect(result.status == .usage)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("Usage: stanza"))
    }

    @Test("of wrong commands come with words that a terminal does not obey")
    func hostileCommand() {
        for arguments in [
            ["find", "--default-namespace", "a\u{1}b\u{9B}", "x"], ["find", "x", "--\u{9B}31m"],
            ["find", "x", "--jobs", "\u{202E}"],
        ] {
            let result = stanza(arguments, input: [])
            #expect(result.status == .usage)
            #expect(result.errors.contains("\u{FFFD}"))
            let isVisible = result.errors.unicodeScalars.allSatisfy {
                $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
            }
            #expect(isVisible, "\(result.errors.debugDescription)")
        }
    }

    @Test(
        "of numbers beyond their range name the range",
        arguments: [
            (["find", "x", "--jobs"], "--jobs is a number from 1 to 256."),
            (["find", "x", "--max-depth"], "--max-depth must be positive."),
            (["find", "x", "--max-stanza-bytes"], "--max-stanza-bytes must be positive."),
            (["explain", "x", "--on", "f", "--stanza"], "--stanza counts from 1."),
            (["form", "f", "--stanza"], "--stanza counts from 1."), (["form", "f", "--form"], "--form counts from 1."),
            (["conformance", "f", "--timeout"], "--timeout is a number from 1 to 3600."),
        ])
    func numbers(command: [String], message: String) {
        for number in ["-1", "0"] {
            let result = stanza(command + [number], input: [])
            #expect(result.status == .usage && result.errors.hasPrefix("Error: \(message)\n"), "\(result.errors)")
        }
        let option = command.last ?? ""
        let other = stanza(command + ["--json"], input: [])
        #expect(other.errors.hasPrefix("Error: The value '--json' is invalid for '\(option) <"), "\(other.errors)")
        #expect(stanza(command, input: []).errors.hasPrefix("Error: Missing value for '\(option) <"))
    }

    @Test(
        "of help are 0", arguments: [["--help"], ["help"], ["find", "--help"], ["help", "explain"], ["find", "-h"]])
    func help(arguments: [String]) {
        let result = stanza(arguments, input: [])
        #expect(result.status == .success)
        #expect(result.output.contains("USAGE: stanza"))
        #expect(result.errors.isEmpty)
    }

    @Test("of regex limits are 2, and the other stanzas are searched")
    func regexLimit() {
        let evil = "<a k='\(String(repeating: "a", count: 64))!'/>"
        let result = stanza("find", "/a<k~^(a+)+$>$", input: "<a k='a'/>\n\(evil)\n<a k='aa'/>")
        #expect(result.status == .usage)
        #expect(result.lines == ["a", "a"])
        #expect(result.errors.hasPrefix("stanza: -:2: "))
        #expect(result.errors.contains("^~~~~~~"))
        // Bad input takes precedence.
        #expect(stanza("find", "/a<k~^(a+)+$>$", input: "\(evil)\n<a>").status == .badInput)
        #expect(stanza("find", "/a<k~^(a+)+$>$", input: "<a>\n\(evil)").status == .badInput)
    }

    @Test("of bad input are 3, whatever the results")
    func badInput() {
        #expect(stanza("find", "/$", input: "<a/>\n<b>").status == .badInput)
        #expect(stanza("find", "/zzz", input: "<a/>\n<b>").status == .badInput)
        #expect(stanza("find", "/zzz", "nowhere").status == .badInput)
    }

    @Test("show whether there is any result")
    func found() {
        #expect(stanza("find", "/a", input: "<a/><b/>").status == .success)
        #expect(stanza("find", "/c", input: "<a/><b/>").status == .nothing)
    }

    @Test("follow the compile options")
    func options() {
        #expect(stanza("find", "/a<k=X>", input: "<a k='x'/>").status == .nothing)
        #expect(stanza("find", "--ignore-case", "/a<k=X>", input: "<a k='x'/>").status == .success)
        #expect(stanza("find", "/a@k|int", input: "<a k='x'/>").lines == ["0"])
        #expect(stanza("find", "--strict", "/a@k|int", input: "<a k='x'/>").status == .nothing)
    }

    /// The command takes the shell's arguments unchanged or rejects them.
    @Test("is refused if it is not UTF-8")
    func notUTF8() async throws {
        let script = #"stanza explain --bytes "$(printf 'body\377')" 2>&1"#
        let refused = try await Shell.run(script)
        #expect(refused.code == 2)
        #expect(refused.output.hasPrefix("Error: The argument 'body\\xFF' is not valid UTF-8.\n"), "\(refused.output)")
        // A file of that name does not make the argument a query.
        let file = try await Shell.run(
            #"name="$(printf 'body\377')"; echo '<a/>' > "$name"; stanza find "$name" "$name" 2>&1"#)
        #expect(file.code == 2 && file.output.contains(#"'body\xFF' is not valid UTF-8"#), "\(file.output)")
        let missing = try await Shell.run(#"stanza find a "$(printf 'body\377')" 2>&1"#)
        #expect(missing.output == "stanza: body\\xFF: No such file or directory\n")
        #expect(try await Shell.run(script.replacing(#"\377"#, with: #"\303\251"#)).code == 0)
    }

    /// U+10FFFF represents such a byte inside the command.
    @Test("is the name of a file, whatever its bytes")
    func names() async throws {
        let script = #"""
            for name in "$(printf 'a\377b')" "$(printf 'a\364\217\277\277')" é; do
                echo "<x xmlns='u'/>" > "$name"
                stanza find --with-source '/$' "$name" && stanza find --json --with-source '/$' "$name"
                stanza explain --on="$name" '/$' >/dev/null && stanza find --count /x < "$name"
            done 2>&1
            """#
        let result = try await Shell.run(script)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                #"a\xFFb:1:x"#, #"{"string": "x", "source": {"file": "a\#u{FFFD}b", "line": 1, "offset": 0}}"#, "1",
                #"a\xF4\x8F\xBF\xBF:1:x"#,
                #"{"string": "x", "source": {"file": "a\#u{10FFFF}", "line": 1, "offset": 0}}"#, "1",
                "é:1:x", #"{"string": "x", "source": {"file": "é", "line": 1, "offset": 0}}"#, "1",
            ])
    }
}
