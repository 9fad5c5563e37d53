// Mistakes in the use of the macros of handlers: each is reported at its place, with the repair.

import Handlers
import Testing

@Suite struct HandlerDiagnosticTests {
    @Test func places() {
        expectDiagnostics(
            """
            enum A { ⟪@Handler⟫ static let b = 1 }
                @Handler belongs on a static function or an instance method
            ⟪@Handler⟫ func b() {}
                a handler needs a type that it belongs to: move the function into a class, structure, enumeration or actor
            protocol A { ⟪@Handler⟫ static func b() }
                a handler needs a type that it belongs to: move the function into a class, structure, enumeration or actor
            struct A<T> { @Handler static func ⟪b⟫(c: T) {} }
                a handler cannot belong to a generic type: nothing stored says what its parameters are
            extension A<Int> { @Handler static func ⟪b⟫() {} }
                a handler cannot belong to a generic type: nothing stored says what its parameters are
            struct A { @Handler static func b⟪<T>⟫(c: T) {} }
                a handler cannot be generic: nothing stored says what its parameters are
            struct A { @Handler static func b() -> Int { 1 } }
            struct A { @Handler static func b() -> Void {} }
            struct A { @Handler static func b() throws -> () {} }
            struct A { @Handler(on: "A()") mutating func ⟪b⟫() {} }
                a handler cannot change its instance: use a class or an actor
            """)
    }

    @Test func parameters() {
        expectDiagnostics(
            """
            c: ⟪inout Int⟫, d: Int⟪...⟫, e: ⟪some Error⟫, j: any Error
                'c': an argument is a plain value: remove 'inout'
                'd': a handler takes no variable number of arguments: use an array
                'e': a handler needs a concrete type, or 'any'
            c: ⟪isolated A⟫
                'c': an argument is a plain value: remove 'isolated'
            f: ⟪@escaping () -> Void⟫, g: ⟪() -> Void⟫, c: ⟪(() -> Void)?⟫, d: ⟪(@Sendable () -> Void)⟫, e: (Int, Int)?
                'f': a closure cannot be stored: pass a Handler
                'g': a closure cannot be stored: pass a Handler
                'c': a closure cannot be stored: pass a Handler
                'd': a closure cannot be stored: pass a Handler
            h: ⟪Int!⟫, i: Int ⟪= 5⟫, ⟪_⟫: Int
                'h': write '?' for an argument that may be missing, and nothing for one that may not
                'i': a default value is never used: make the parameter optional, and use '??' inside the function
                '_': an argument needs a name: it is found by it
            """, in: "actor A { @Handler static func b(•) {} }")
    }

    @Test func instances() {
        expectDiagnostics(
            #"""
            actor A { ⟪@Handler⟫ func b() {} }
                an instance method needs a statement that obtains the instance from the arguments: add 'on: "account.omemo"', or make the function static
                → @Handler(on: "<#instance#>")
            actor A { ⟪@Handler("A|c", singleShot: true)⟫ func b() {} }
                an instance method needs a statement that obtains the instance from the arguments: add 'on: "account.omemo"', or make the function static
                → @Handler("A|c", singleShot: true, on: "<#instance#>")
            enum A { @Handler(on: ⟪"A.shared"⟫) static func b() {} }
                a static function is called on no instance: remove 'on:'
            actor A { @Handler(on: ⟪A.find⟫) func b() {} }
                expected a string literal with an expression over the parameters: on: "account.omemo"
            actor A { @Handler(on: ⟪"\(a)"⟫) func b() {} }
                expected a string literal with an expression over the parameters: on: "account.omemo"
            actor A { @Handler(on: ⟪""⟫) func b() {} }
                '' is not an expression (expected expression): expected one over the parameters, such as "account.omemo"
            actor A { @Handler(on: ⟪"a."⟫) func b() {} }
                'a.' is not an expression (expected name in member access): expected one over the parameters, such as "account.omemo"
            actor A { @Handler(on: ⟪"a; b"⟫) func b() {} }
                'a; b' is not an expression (unexpected code '; b'): expected one over the parameters, such as "account.omemo"
            actor A { @Handler(on: ⟪"a }, b: { c"⟫) func b() {} }
                'a }, b: { c' is not an expression (unexpected code '}, b: { c'): expected one over the parameters, such as "account.omemo"
            actor A { @Handler(on: "try await a.b(c: a ?? .d)[0]") func b(a: Int) {} }
            """#)
    }

    @Test func namesAndVersions() {
        expectDiagnostics(
            #"""
            ⟪"b"⟫
                'b' is not a handler name: expected "Type|function" without '<', '>' and control characters
            formerly: ["A|c", ⟪"<|d"⟫, constant]
                '<|d' is not a handler name: expected "Type|function" without '<', '>' and control characters
            nil, formerly: []
            constant, formerly: names
            version: ⟪3⟫, migrations: [1: rename]
                the migration from version 2 is missing: add 'migrations: [2: { arguments in … }]'
            version: ⟪2⟫
                the migration from version 1 is missing: add 'migrations: [1: { arguments in … }]'
            version: 2, migrations: [1: rename, ⟪2⟫: rename]
                this migration is never used: it starts from version 2, and version 2 is the newest
            migrations: [⟪1⟫: rename]
                this migration is never used: it starts from version 1, and version 1 is the newest
            version: ⟪0⟫
                versions begin with 1
            version: newest, migrations: all
            version: 2, migrations: [1: rename]
            version: 1, migrations: [:]
            """#, in: "enum A { @Handler(•) static func b() {} }")
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

    /// The name of a nested type counts with those around it.
    @Test func types() {
        expectDiagnostics(
            #"""
            @Handlers enum A {⏎@Handler static func b() {}⏎@Handler static func ⟪b⟫(c: Int) {}⏎@Handler(⟪"A|b"⟫) static func d() {}⏎@Handler static func f() {}⏎}
                two handlers are made of functions called 'b': rename one of them
                two handlers are called 'A|b', now or formerly: give one of them another name
            @Handlers enum A {⏎@Handler("A|e", formerly: [⟪"A|e"⟫]) static func e() {}⏎}
                two handlers are called 'A|e', now or formerly: give one of them another name
            enum A {⏎@Handlers enum B {⏎@Handler static func c() {}⏎@Handler("B|c") static func d() {}⏎@Handler(⟪"A.B|c"⟫) static func e() {}⏎}⏎}
                two handlers are called 'A.B|c', now or formerly: give one of them another name
            @Handlers enum A {⏎@Handler static func b() {}⏎#if DEBUG⏎@Handler static func ⟪c⟫() {}⏎#endif⏎}
                a handler inside of '#if' is not listed: put the '#if' into the function
            ⟪@Handlers⟫ enum A { static func b() {} }
                the braces of this type contain no function with @Handler
            """#)
    }

    @Test(arguments: ["b, ⟪c()⟫", "⟪self⟫", "⟪.some⟫", "⟪5⟫"]) func named(values: String) {
        expectDiagnostics(
            """
            let a = #named(\(values))
                expected a variable or a member, which have names; for other values write { $0.name = value }
            let a = #named(b.c, d, ⟪c⟫)
                two of the values are called 'c'
            """)
    }
}
