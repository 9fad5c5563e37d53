// `#query` in code of a module's interface, which can only name public declarations.

import Testing

@Suite struct InlinableTests {
    /// A query without slots, and one with some.
    private static let queries = ["#query(\"a@b\")", "#query(\"a<b=\\(n)>#\")"]

    /// Every kind of code that other modules compile.
    @Test(arguments: queries)
    func inlinable(query: String) async throws {
        try await expectErrors(
            in: """
                public import StanzaQueryMacros

                @inlinable public func function(_ e: Element, _ n: String) throws -> String? { e.findFirst(•) }
                @inlinable public func closure(_ e: Element, _ n: String) throws -> [String?] {
                    [e].map { $0.findFirst(•) }
                }
                @inlinable public func inner(_ e: Element, _ n: String) throws -> String? {
                    func g() throws -> String? { e.findFirst(•) }
                    return try g()
                }
                @inlinable public func generic<T>(_ e: Element, _ n: String, _ t: T) throws -> String? { e.findFirst(•) }
                @inlinable package func inPackage(_ e: Element, _ n: String) throws -> String? { e.findFirst(•) }
                @_alwaysEmitIntoClient public func emitted(_ e: Element, _ n: String) throws -> String? { e.findFirst(•) }
                @backDeployed(before: macOS 99)
                public func deployed(_ e: Element, _ n: String) throws -> String? { e.findFirst(•) }
                @_transparent public func transparent(_ e: Element, _ n: String) throws -> String? { e.findFirst(•) }
                public func given(_ e: Element, _ read: (Element, String) throws -> String? = { e, n in e.findFirst(•) }) {}
                extension Element {
                    @inlinable public func method(_ n: String) throws -> String? { findFirst(•) }
                    @inlinable public var property: String? { get throws { let n = name; _ = n; return findFirst(•) } }
                }
                public struct Holder: Sendable {
                    @usableFromInline let e: Element, n: String
                    @inlinable public init(_ e: Element, _ n: String) throws {
                        self.e = e
                        self.n = e.findFirst(•) ?? ""
                    }
                    @inlinable public var first: String? { get throws { e.findFirst(•) } }
                    @inlinable public var short: String? { e.findFirst(•) }
                    @inlinable public var closure: [String?] { [e].map { $0.findFirst(•) } }
                    public var accessor: String? { @inlinable get throws { e.findFirst(•) } }
                    @inlinable public subscript(n: String) -> String? { get throws { e.findFirst(•) } }
                    public subscript(n: Substring) -> String? { @inlinable get throws { e.findFirst(•) } }
                    public var settable: String? {
                        get { nil }
                        @inlinable set { _ = e.findFirst(•) == newValue }
                    }
                }
                @frozen public struct Frozen: Sendable {
                    public var read: @Sendable (Element, String) throws -> String? = { e, n in e.findFirst(•) }
                }

                """.replacing("•", with: query), options: ["-parse-as-library", "-package-name", "test"])
    }

    @Test func properties() async throws {
        try await expectErrors(
            in: """
                import StanzaQueryMacros
                public enum Queries { #queries(["id": "/@id", "done": "/@done|bool"]) }
                @frozen public struct Frozen { #queries(["name": "/$"]) }
                public struct Generic<T> { #queries(["id": "/@id"]) }
                extension Element { #queries(["elementID": "/@id"]) }
                public func id(_ e: Element) throws -> String? { e.findFirst(#query("/@id")) }
                public func read(_ e: Element, _ read: (Element) throws -> String? = { try id($0) }) {}
                """)
    }
}
