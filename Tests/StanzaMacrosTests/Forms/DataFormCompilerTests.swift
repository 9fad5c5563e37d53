// What the compiler says about forms: places, isolation, aliases, and types of a program that have the library's names.

import Testing

@Suite struct DataFormCompilerTests {
    @Test(arguments: Places.isolations)
    func everyPlace(isolation: String) async throws {
        let imports = """
            import DataFormMacros
            typealias Name = String?
            """
        let source = Places.source(imports) { modifiers, name in
            """
            @DataForm("urn:x") \(modifiers) struct \(name) {
                @Field("a-b", label: "A") var a: Int
                @Field var b: String?
                @Field let c: [Bool]
                @Field var d = 5
                @Field var e: [Int] = [1]
                @Field var f: Swift.String
                var other = 5
            }
            """
        }
        let errors = try await Compiler.errors(in: source, options: Places.options(isolation))
        #expect(errors == [])
    }

    /// A form is read and written anywhere, also if its structure belongs to the main actor.
    @Test(arguments: Places.isolations)
    func use(isolation: String) async throws {
        let errors = try await Compiler.errors(
            in: """
                import DataFormMacros
                import XMLTree
                enum Whois: String, CaseIterable, FieldValue { case anyone, moderators }
                @MainActor @DataForm("urn:x") struct Bound: Sendable { @Field var whois: Whois }
                @DataForm("urn:x") struct Plain: Sendable { @Field var whois: [Whois] = [.anyone] }
                nonisolated func read(_ element: Element) throws -> (Bound, Plain) {
                    let bound = try Bound(form: element)
                    _ = try bound.dataForm(.submit)
                    return (bound, try Plain(form: element))
                }
                actor Rooms {
                    func submit(_ bound: Bound) throws -> DataForm { try bound.dataForm(.submit) }
                }
                """, options: Places.options(isolation))
        #expect(errors == [])
    }

    @Test(arguments: Places.isolations)
    func namesOfTheProgram(isolation: String) async throws {
        let errors = try await Compiler.errors(
            in: """
                import DataFormMacros
                struct FieldDecoder {}
                struct DataForm {}
                struct FormDecodingError {}
                struct FormEncodingError {}
                enum DataForms {}
                @DataFormMacros.DataForm("urn:x") struct A {
                    @Field var `default`: Int?
                    @Field var fields: Int
                    @Field var form: [Int]
                    @Field var `max size`: Int
                    struct FieldValue {}
                }
                """, options: Places.options(isolation))
        #expect(errors == [])
    }
}
