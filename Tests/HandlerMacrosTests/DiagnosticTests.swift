// Mistakes in the use of macros: each is reported at its place, with the repair.

import Handlers
import MacroTestSupport
import Testing

@Suite struct DiagnosticTests {
    // MARK: The place of the attribute

    @Test func noFunction() {
        expectDiagnostics(
            in: "enum A { ⟪@Handler⟫ static let b = 1 }",
            "@Handler belongs on a static function or an instance method")
    }

    @Test func noType() {
        let message =
            "a handler needs a type that it belongs to: move the function into a class, structure, enumeration or actor"
        expectDiagnostics(in: "⟪@Handler⟫ func b() {}", message)
        expectDiagnostics(in: "protocol A { ⟪@Handler⟫ static func b() }", message)
    }

    @Test func generics() {
        expectDiagnostics(
            in: "struct A<T> { @Handler static func ⟪b⟫(c: T) {} }",
            "a handler cannot belong to a generic type: nothing stored says what its parameters are")
        expectDiagnostics(
            in: "extension A<Int> { @Handler static func ⟪b⟫() {} }",
            "a handler cannot belong to a generic type: nothing stored says what its parameters are")
        expectDiagnostics(
            in: "struct A { @Handler static func b⟪<T>⟫(c: T) {} }",
            "a handler cannot be generic: nothing stored says what its parameters are")
    }

    @Test func results() {
        expectDiagnostics(in: "struct A { @Handler static func b() -> Int { 1 } }")
        expectDiagnostics(in: "struct A { @Handler static func b() -> Void {} }")
        expectDiagnostics(in: "struct A { @Handler static func b() throws -> () {} }")
    }

    @Test func mutatingMethods() {
        expectDiagnostics(
            in: "struct A { @Handler(on: \"A()\") mutating func ⟪b⟫() {} }",
            "a handler cannot change its instance: use a class or an actor")
    }

    // MARK: Parameters

    @Test func parameters() {
        expectDiagnostics(
            in: """
                struct A {
                    @Handler
                    static func b(
                        c: ⟪inout Int⟫, d: Int⟪...⟫, e: ⟪some Error⟫, f: ⟪@escaping () -> Void⟫, g: ⟪() -> Void⟫, h: ⟪Int!⟫,
                        i: Int ⟪= 5⟫, ⟪_⟫: Int, j: any Error
                    ) {}
                }
                """,
            "'c': an argument is a plain value: remove 'inout'",
            "'d': a handler takes no variable number of arguments: use an array",
            "'e': a handler needs a concrete type, or 'any'",
            "'f': a closure cannot be stored: pass a Handler",
            "'g': a closure cannot be stored: pass a Handler",
            "'h': write '?' for an argument that may be missing, and nothing for one that may not",
            "'i': a default value is never used: make the parameter optional, and use '??' inside the function",
            "'_': an argument needs a name: it is found by it")
        expectDiagnostics(
            in: "enum A { @Handler static func b(c: ⟪(() -> Void)?⟫, d: ⟪(@Sendable () -> Void)⟫, e: (Int, Int)?) {} }",
            "'c': a closure cannot be stored: pass a Handler", "'d': a closure cannot be stored: pass a Handler")
        expectDiagnostics(
            in: "actor A { @Handler static func b(c: ⟪isolated A⟫) {} }",
            "'c': an argument is a plain value: remove 'isolated'")
    }

    // MARK: Instances

    @Test func missingStatement() {
        let message =
            "an instance method needs a statement that obtains the instance from the arguments: add 'on: \"account.omemo\"', or make the function static"
        expectDiagnostics(
            in: "actor A { ⟪@Handler⟫ func b() {} }", message, fixed: "@Handler(on: \"<#instance#>\")")
        expectDiagnostics(
            in: #"actor A { ⟪@Handler("A|c", singleShot: true)⟫ func b() {} }"#, message,
            fixed: ##"@Handler("A|c", singleShot: true, on: "<#instance#>")"##)
    }

    @Test func needlessStatement() {
        expectDiagnostics(
            in: #"enum A { @Handler(on: ⟪"A.shared"⟫) static func b() {} }"#,
            "a static function is called on no instance: remove 'on:'")
    }

    @Test func statementsThatAreNone() {
        let message = "expected a string literal with an expression over the parameters: on: \"account.omemo\""
        expectDiagnostics(in: "actor A { @Handler(on: ⟪A.find⟫) func b() {} }", message)
        expectDiagnostics(in: #"actor A { @Handler(on: ⟪"\(a)"⟫) func b() {} }"#, message)
        func noExpression(_ text: String, _ reason: String? = nil) -> String {
            "'\(text)' is not an expression\(reason.map { " (\($0))" } ?? ""): expected one over the parameters, such as \"account.omemo\""
        }
        expectDiagnostics(
            in: #"actor A { @Handler(on: ⟪""⟫) func b() {} }"#, noExpression("", "expected expression"))
        expectDiagnostics(
            in: #"actor A { @Handler(on: ⟪"a."⟫) func b() {} }"#,
            noExpression("a.", "expected name in member access"))
        expectDiagnostics(
            in: #"actor A { @Handler(on: ⟪"a; b"⟫) func b() {} }"#, noExpression("a; b", "unexpected code '; b'"))
        expectDiagnostics(
            in: #"actor A { @Handler(on: ⟪"a }, b: { c"⟫) func b() {} }"#,
            noExpression("a }, b: { c", "unexpected code '}, b: { c'"))
        expectDiagnostics(in: #"actor A { @Handler(on: "try await a.b(c: a ?? .d)[0]") func b(a: Int) {} }"#)
    }

    // MARK: Names and versions

    @Test func names() {
        func message(_ name: String) -> String {
            "'\(name)' is not a handler name: expected \"Type|function\" without '<', '>' and control characters"
        }
        expectDiagnostics(in: #"enum A { @Handler(⟪"b"⟫) static func b() {} }"#, message("b"))
        expectDiagnostics(in: #"enum A { @Handler(⟪"A|b|c"⟫) static func b() {} }"#, message("A|b|c"))
        expectDiagnostics(
            in: #"enum A { @Handler(formerly: ["A|c", ⟪"<|d"⟫, constant]) static func b() {} }"#, message("<|d"))
        expectDiagnostics(in: #"enum A { @Handler(nil, formerly: []) static func b() {} }"#)
        expectDiagnostics(in: #"enum A { @Handler(constant, formerly: names) static func b() {} }"#)
    }

    /// The plugin and the registry have the same idea of a name.
    @Test(arguments: [
        "A|b", "A.B|c", "A", "", "|", "A|", "|b", "A|b|c", "A<Int>|b", "A|b<c>", "Ä|é", "A|b\u{1F}", "A|b\u{7F}",
        "A|" + String(repeating: "b", count: 255), "A|" + String(repeating: "b", count: 256),
        String(repeating: "é", count: 128) + "|b",
    ]) func namesAsInRegistries(name: String) {
        let mistakes = reportedMistakes(in: "enum A { @Handler(\(name.debugDescription)) static func b() {} }")
        #expect(mistakes.isEmpty == HandlerName(name).isValid)
    }

    @Test func versions() {
        expectDiagnostics(
            in: "enum A { @Handler(version: ⟪3⟫, migrations: [1: rename]) static func b() {} }",
            "the migration from version 2 is missing: add 'migrations: [2: { arguments in … }]'")
        expectDiagnostics(
            in: "enum A { @Handler(version: ⟪2⟫) static func b() {} }",
            "the migration from version 1 is missing: add 'migrations: [1: { arguments in … }]'")
        expectDiagnostics(
            in: "enum A { @Handler(version: 2, migrations: [1: rename, ⟪2⟫: rename]) static func b() {} }",
            "this migration is never used: it starts from version 2, and version 2 is the newest")
        expectDiagnostics(
            in: "enum A { @Handler(migrations: [⟪1⟫: rename]) static func b() {} }",
            "this migration is never used: it starts from version 1, and version 1 is the newest")
        expectDiagnostics(in: "enum A { @Handler(version: ⟪0⟫) static func b() {} }", "versions begin with 1")
        expectDiagnostics(in: "enum A { @Handler(version: newest, migrations: all) static func b() {} }")
        expectDiagnostics(in: "enum A { @Handler(version: 2, migrations: [1: rename]) static func b() {} }")
        expectDiagnostics(in: "enum A { @Handler(version: 1, migrations: [:]) static func b() {} }")
    }

    // MARK: Types

    @Test func duplicates() {
        expectDiagnostics(
            in: """
                @Handlers
                enum A {
                    @Handler static func b() {}
                    @Handler static func ⟪b⟫(c: Int) {}
                    @Handler(⟪"A|b"⟫) static func d() {}
                    @Handler("A|e", formerly: [⟪"A|e"⟫]) static func e() {}
                    @Handler static func f() {}
                }
                """,
            "two handlers are made of functions called 'b': rename one of them",
            "two handlers are called 'A|b', now or formerly: give one of them another name",
            "two handlers are called 'A|e', now or formerly: give one of them another name")
    }

    /// The name of a nested type counts with those around it.
    @Test func duplicatesInNestedTypes() {
        expectDiagnostics(
            in: """
                enum A {
                    @Handlers
                    enum B {
                        @Handler static func c() {}
                        @Handler("B|c") static func d() {}
                        @Handler(⟪"A.B|c"⟫) static func e() {}
                    }
                }
                """,
            "two handlers are called 'A.B|c', now or formerly: give one of them another name")
    }

    @Test func conditions() {
        expectDiagnostics(
            in: """
                @Handlers
                enum A {
                    @Handler static func b() {}
                    #if DEBUG
                    @Handler static func ⟪c⟫() {}
                    #endif
                }
                """, "a handler inside of '#if' is not listed: put the '#if' into the function")
    }

    @Test func emptyTypes() {
        expectDiagnostics(
            in: "⟪@Handlers⟫ enum A { static func b() {} }",
            "the braces of this type contain no function with @Handler")
    }

    // MARK: Values

    @Test func named() {
        let message = "expected a variable or a member, which have names; for other values write { $0.name = value }"
        expectDiagnostics(in: "let a = #named(b, ⟪c()⟫)", message)
        expectDiagnostics(in: "let a = #named(⟪self⟫)", message)
        expectDiagnostics(in: "let a = #named(⟪.some⟫)", message)
        expectDiagnostics(in: "let a = #named(⟪5⟫)", message)
        expectDiagnostics(in: "let a = #named(b.c, d, ⟪c⟫)", "two of the values are called 'c'")
    }
}
