// The definitions and bindings of handlers that the compiler accepts and refuses.

import Testing

@Suite struct HandlerCompilerTests {
    /// Definitions for every case, whose own line is the thirteenth.
    private let lines = CompiledLines(
        after: """
            import HandlerMacros
            final class Account: Sendable { let omemo = Omemo() }
            @Handlers final class Omemo: Sendable {
                @Handler(on: "account.omemo")
                func fetched(account: Account, jid: String, device: Int?) {}
                @Handler static func lost(device: Int, account: Account, done: Bool?, log: Log?) {}
            }
            final class Log: Sendable {}
            func test(_ account: Account) throws {
                let device = 5
                let jid = 6
                _ = (account, device, jid)

            """)

    @Test(arguments: [
        "_ = try Omemo.$fetched.handler { $0.jid = \"a\"; $0.device = 5 }",
        "_ = try Omemo.$fetched.handler(binding: #named(device))",
        "_ = try Omemo.$fetched.handler(invalidation: Omemo.$lost) { $0.device = 5; $0.done = true }",
        "_ = try Omemo.$fetched.handler(invalidation: Omemo.$lost, binding: #named(device), { $0.done = true })",
        "_ = HandlerArguments(#named(account, device))",
        "_ = try HandlerRegistry(Omemo.self)",
    ]) func accepted(line: String) async throws {
        try await lines.expectAccepted(line)
    }

    /// Wrong names and types do not build, nor do values that cannot be stored; the compiler reports it at the name or
    /// the value.
    @Test(arguments: [
        (
            "_ = try Omemo.$fetched.handler { $0.jid = 5 }",
            "13:47: error: cannot assign value of type 'Int' to type 'String'"
        ),
        (
            "_ = try Omemo.$fetched.handler { $0.rid = 5 }",
            "13:41: error: value of type 'BoundArguments<Omemo.fetched_Parameters, NoParameters>' has no dynamic member 'rid'"
        ),
        (
            "_ = try Omemo.$fetched.handler { $0.done = true }",
            "13:41: error: value of type 'BoundArguments<Omemo.fetched_Parameters, NoParameters>' has no dynamic member 'done'"
        ),
        (
            "_ = try Omemo.$fetched.handler(invalidation: Omemo.$lost) { $0.done = 5 }",
            "13:75: error: cannot assign value of type 'Int' to type 'Bool?'"
        ),
        (
            "_ = try Omemo.$lost.handler { $0.account = account }",
            "13:35: error: 'subscript(dynamicMember:)' is unavailable: only Storable values can be bound; give this argument at the call"
        ),
        (
            "_ = try Omemo.$fetched.handler(invalidation: Omemo.$lost) { $0.account = account }",
            "13:65: error: 'subscript(dynamicMember:)' is unavailable: only Storable values can be bound; give this argument at the call"
        ),
        (
            "_ = try Omemo.$fetched.handler(invalidation: Omemo.$lost) { $0.log = Log() }",
            "13:68: error: referencing subscript 'subscript(dynamicMember:)' on 'Optional' requires that 'Log' conform to 'Storable'"
        ),
        (
            "_ = try Omemo.$fetched.handler(binding: #named(rid))",
            "13:52: error: cannot find 'rid' in scope"
        ),
        // What macros write is a file of its own.
        (
            "_ = try Omemo.$fetched.handler(binding: #named(jid))",
            "2:14: error: cannot assign value of type 'Int' to type 'String'"
        ),
        (
            "_ = try Omemo.$fetched.handler(binding: #named(account))",
            "2:5: error: 'subscript(dynamicMember:)' is unavailable: only Storable values can be bound; give this argument at the call"
        ),
    ]) func refused(line: String, error: String) async throws {
        try await lines.expectRefused(line, error)
    }

    /// A mistake that a macro finds is shown where it is, and is the only one.
    @Test func mistakesInDefinitions() async throws {
        try await expectErrors(
            in: """
                import HandlerMacros
                @Handlers actor Mail {
                    @Handler func sent() {}
                }
                """,
            "3:5: error: an instance method needs a statement that obtains the instance from the arguments: add 'on: \"account.omemo\"', or make the function static"
        )
        try await expectErrors(
            in: """
                import HandlerMacros
                @Handlers enum Mail {
                    @Handler static func sent(to: inout String) {}
                    @Handler(version: 2) static func lost() {}
                    @Handler("Mail|sent") static func received() {}
                }
                """,
            "3:35: error: 'to': an argument is a plain value: remove 'inout'",
            "4:23: error: the migration from version 1 is missing: add 'migrations: [1: { arguments in … }]'",
            "5:14: error: two handlers are called 'Mail|sent', now or formerly: give one of them another name")
    }

    /// Isolation of every kind, options, subclasses with lists of their own, and names: those that expansions use, too,
    /// and those in backticks.
    @Test(arguments: Places.isolations)
    func everyDefinition(isolation: String) async throws {
        try await expectErrors(
            in: """
                import HandlerMacros
                @MainActor final class Account { var view = View() }
                @MainActor @Handlers final class View {
                    var texts: [String] = []
                    @Handler static func shown(text: String) {}
                    @Handler(on: "await account.view") func changed(account: Account, text: String) { texts.append(text) }
                    @Handler(on: "await account.view") func saved(account: Account, text: String) async throws {}
                    @Handler(on: "await account.view") nonisolated func kept(account: Account) async {}
                }
                @Handlers actor Mail {
                    static let shared = Mail()
                    @Handler static func sent() {}
                    @Handler(on: "Mail.shared") func lost(why: InvalidationReason) throws {}
                    @Handler(on: ".shared") nonisolated func kept() async {}
                    @Handler(
                        "Mail|old", formerly: ["Mail|older"], version: 3,
                        migrations: [
                            1: { $0.rename("rid", to: "device") },
                            2: { arguments in
                                let device: Int = 5
                                try arguments.setDefault(device, for: "device")
                            },
                        ], singleShot: true, on: "shared")
                    func renamed(device: Int) {}
                    @Handler static func parameters(parameters: Int, arguments: [String], call: String, name: String) {}
                    @Handler static func call(invalidation: Int, definition: Int, values: Int, `default`: Int) {}
                    @Handler(on: "instance ?? Mail.shared")
                    func find(instance: Mail?, frame: Int, value: String, in: Int, `self` me: Int) {}
                    @Handlers enum Inner {
                        @Handler static func call() {}
                        @Handler("Inner|call") static func called() {}
                    }
                }
                @Handlers struct Plain: Sendable {
                    @Handler(on: "account == nil ? Plain() : nil") func called(account: Account?) {}
                    nonisolated init() {}
                }
                @Handlers open class Base {
                    init() {}
                    @Handler static func lost() {}
                }
                @Handlers public class Sub: Base {
                    @Handler static func found() {}
                }
                @Handlers class Own: HandlerProvider {
                    @Handler static func owned() {}
                }
                @MainActor @Handlers class Page {
                    init() {}
                    @Handler static func shown() {}
                }
                @Handlers final class Subpage: Page {
                    @Handler static func hidden() {}
                }
                @Handlers struct `Mail box` {
                    @Handler static func sent(`the text`: String, to `the address`: String) {}
                    @Handler(on: "`Mail box`()") func seen(`the text`: String) {}
                    @Handler("Mail|shown") static func shown(description: String, names: [String], only: Int) {}
                }
                func test() throws {
                    let (parameters, arguments, call, name, `default`) = (1, ["a"], "a", "b", 5)
                    _ = try Mail.$parameters.handler(binding: #named(parameters, arguments, call, name))
                    _ = try Mail.$call.handler(invalidation: Mail.$parameters, binding: #named(`default`)) {
                        $0.invalidation = 1
                        $0.definition = 2
                        $0.values = 3
                        $0.arguments = []
                    }
                    let (`the text`, description, names, only, text) = ("a", "b", ["c"], 5, "d")
                    _ = try `Mail box`.$sent.handler(binding: #named(`the text`))
                    _ = try `Mail box`.$shown.handler(binding: #named(description, names, only))
                    _ = HandlerArguments(#named(description, names, only, `the text`))
                    _ = try View.$changed.handler(binding: #named(text))
                    _ = try HandlerRegistry(Base.self, Sub.self, Own.self, Page.self, Subpage.self, View.self, Mail.self)
                }
                """, options: Places.options(isolation))
    }

    @Test(arguments: Places.isolations)
    func everyPlace(isolation: String) async throws {
        let source = Places.source("import HandlerMacros") { modifiers, name in
            """
            @Handlers \(modifiers) final class \(name): Sendable {
                @Handler static func lost(device: Int, done: Bool?) {}
                @Handler(on: "\(name)()") func found(device: Int) throws {}
                @Handler(on: "\(name)()") nonisolated func kept(`default`: [String]) async {}
                nonisolated init() {}
                static func use() throws -> Handler {
                    let device = 5
                    return try $lost.handler(binding: #named(device))
                }
            }
            """
        }
        let errors = try await Compiler.errors(in: source, options: Places.options(isolation))
        #expect(errors == [])
    }

    @Test func namesOfNoHandler() async throws {
        try await expectErrors(
            in: """
                import HandlerMacros
                @Handlers class Mail: @unchecked Sendable {
                    @Handler static func `has come`() {}
                    @Handler static func sent() {}
                    @Handler(on: "Mail()") func lost() {}
                    init() {}
                }
                class Drafts: Mail, @unchecked Sendable {
                    @Handler(on: "Drafts()") override func lost() {}
                }
                """,
            "3:26: error: no handler can be called '$has come': rename the function; @Handler(\"Mail|has come\") keeps the stored name",
            "9:44: error: a handler of the function that this one overrides calls this one, too: remove '@Handler'")
    }
}
