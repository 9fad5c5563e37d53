// What the compiler says about payloads: places, isolation, aliases, and types of a program that have the library's
// names.

import Testing

@Suite struct PayloadCompilerTests {
    @Test(arguments: Places.isolations)
    func everyPlace(isolation: String) async throws {
        let imports = """
            import DataFormMacros
            import Foundation
            import PayloadMacros
            typealias Name = String?
            @Payload("{urn:x}key") public struct Key: Sendable { @Attribute var id: UInt32; @Text var data: Data }
            @DataForm("urn:x") public struct Limits: Sendable { @Field var size: Int }
            enum Kind: String, PayloadValue { case a, b }
            """
        let source = Places.source(imports) { modifiers, name in
            """
            @Payload("{urn:x}all") \(modifiers) struct \(name) {
                @Attribute var id: Int
                @Attribute var name: Name
                @Attribute("k") var kind: Kind = .a
                @Text var text: String?
                @Child("subject") var subject: String?
                @Child("body") var bodies: LocalizedText
                @Child("item", attribute: "jid") var addresses: [JID]
                @Child var key: Swift.Optional<Key>
                @Child(in: "keys") var keys: [Key] = []
                @Child("any") var any: XMLTree.Element?
                @Flag var store: Bool
                @Form(.result) var form: Limits?
                @Form var other: DataForm?
                @Query("a/b#|int") var found: Int?
                @Query("a<b~x>") var elements: [Element]
                @Rest var others: [Element]
            }
            """
        }
        let errors = try await Compiler.errors(in: source, options: Places.options(isolation))
        #expect(errors == [])
    }

    @Test(arguments: Places.isolations)
    func choices(isolation: String) async throws {
        let imports = """
            import PayloadMacros
            @Payload("{urn:x}key") public struct Key { @Attribute var id: UInt32 }
            """
        let source = Places.source(imports) { modifiers, name in
            """
            @Payload("{urn:x}") \(modifiers) enum \(name) { case a, `default`; case key(Key); @Case("c-d") case cd
                @Payload("{urn:x}n", by: "type") enum Inner { @Case(nil) case a; case b(of: Key) } }
            """
        }
        let errors = try await Compiler.errors(in: source, options: Places.options(isolation))
        #expect(errors == [])
    }

    @Test func namesOfTheProgram() async throws {
        let errors = try await Compiler.errors(
            in: """
                import PayloadMacros
                struct PayloadReader {}
                struct PayloadWriter {}
                struct PayloadError {}
                struct PayloadName {}
                @PayloadMacros.Payload("{urn:x}a") struct A {
                    @Attribute var `default`: Int?
                    @Attribute var reader: Int
                    @Attribute var writer: Int
                    struct Query {}
                }
                """)
        #expect(errors == [])
    }

    /// The compiler finds the mistakes that the macro cannot see.
    @Test func typesWithoutValues() async throws {
        let source = """
            import PayloadMacros
            struct Other {}
            @Payload("{urn:x}a") struct A { @Attribute var b: Other }
            """
        let errors = try await Compiler.errors(in: source)
        #expect(!errors.isEmpty && errors.allSatisfy { $0.contains("'PayloadValue'") }, "\(errors)")
        let repaired = try await Compiler.errors(in: source.replacing("Other }", with: "Int }"))
        #expect(repaired == [])
    }
}
