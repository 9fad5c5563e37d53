// The code that the macros of handlers generate.

import Testing

@Suite struct HandlerExpansionTests {
    @Test func everyOption() {
        expectExpansion(
            of: """
                public struct Outer {
                    public final class Omemo {
                        @Handler("Omemo|bundle", formerly: ["Omemo|handleBundle"], version: 2, migrations: [1: rename], singleShot: true)
                        public static func bundleFetched(any: any Error, for pair: (Int, Int), _ attempt: Int?) async throws {
                        }
                    }
                }
                """,
            """
            public struct bundleFetched_Parameters: Sendable {
                public let any = HandlerParameter("any", (any Error).self)
                public let pair = HandlerParameter("pair", ((Int, Int)).self)
                public let attempt = HandlerParameter("attempt", Int?.self)
            }

            public nonisolated static let $bundleFetched: HandlerFunction<bundleFetched_Parameters> = HandlerFunction(bundleFetched_Parameters()) {
                HandlerDefinition(
                    "Omemo|bundle",
                    formerly: ["Omemo|handleBundle"],
                    version: 2,
                    migrations: [1: rename],
                    isSingleShot: true,
                    $0.any,
                    $0.pair,
                    $0.attempt,
                    call: bundleFetched(any:for:_:)
                )
            }
            """)
    }

    @Test func instanceMethod() {
        expectExpansion(
            of: """
                actor Omemo {
                    @Handler(on: "account.omemo")
                    func bundleFetched(from jid: String, success: Bool, account: Account) async throws {
                    }
                }
                """,
            """
            struct bundleFetched_Parameters: Sendable {
                let jid = HandlerParameter("jid", String.self)
                let success = HandlerParameter("success", Bool.self)
                let account = HandlerParameter("account", Account.self)
            }

            nonisolated static let $bundleFetched: HandlerFunction<bundleFetched_Parameters> = HandlerFunction(bundleFetched_Parameters()) {
                HandlerDefinition(
                    "Omemo|bundleFetched",
                    $0.jid,
                    $0.success,
                    $0.account,
                    instance: { (jid: String, success: Bool, account: Account) in
                        try await HandlerInstance<Omemo>.find {
                            account.omemo
                        }
                    },
                    call: {
                        try await $0.value.bundleFetched(from: $1, success: $2, account: $3)
                    }
                )
            }
            """)
    }

    @Test func instanceThatNeedsNothing() {
        expectExpansion(
            of: """
                public extension Outer.Omemo {
                    @Handler(on: "try await Omemo.shared()")
                    func ping() {
                    }
                }
                """,
            """
            public struct ping_Parameters: Sendable {

            }

            public nonisolated static let $ping: HandlerFunction<ping_Parameters> = HandlerFunction(ping_Parameters()) { _ in
                HandlerDefinition(
                    "Outer.Omemo|ping",
                    instance: { () in
                        try await HandlerInstance<Outer.Omemo>.find {
                            try await Omemo.shared()
                        }
                    },
                    call: {
                        try await $0.value.ping()
                    }
                )
            }
            """)
    }

    @Test func list() {
        expectExpansion(
            of: """
                @Handlers
                public enum Mail {
                    @Handler static func sent() {
                    }
                    @HandlerMacros.Handler("Mail|gone") private static func `repeat`() {
                    }
                    static func other() {
                    }
                }
                """,
            """
            public nonisolated static var handlers: [HandlerDefinition] {
                [$sent.definition, $repeat.definition]
            }

            extension Mail: HandlerProvider {
            }

            struct sent_Parameters: Sendable {

            }

            nonisolated static let $sent: HandlerFunction<sent_Parameters> = HandlerFunction(sent_Parameters()) { _ in
                HandlerDefinition(
                    "Mail|sent",
                    call: sent
                )
            }

            private struct repeat_Parameters: Sendable {

            }

            private nonisolated static let $repeat: HandlerFunction<repeat_Parameters> = HandlerFunction(repeat_Parameters()) { _ in
                HandlerDefinition(
                    "Mail|gone",
                    call: `repeat`
                )
            }
            """)
    }

    @Test func named() {
        expectExpansion(
            of: "#named(device, self.jid, account.omemo.keys)",
            """
            {
                $0.device = device
                $0.jid = self.jid
                $0.keys = account.omemo.keys
            }
            """)
        expectExpansion(
            of: "#named()",
            """
            { _ in
            }
            """)
    }
}
