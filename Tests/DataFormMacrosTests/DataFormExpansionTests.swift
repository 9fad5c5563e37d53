// The code that @DataForm generates.

import MacroTestSupport
import Testing

@Suite struct DataFormExpansionTests {
    @Test func everyShape() {
        expectExpansion(
            of: #"""
                @DataForm("urn:x")
                public struct Shapes {
                    @Field("a-b", label: "A \"and\" b") public var ab: Int
                    @Field var `default`: String?
                    @DataFormMacros.Field(label: "C") let c: [Whois]
                    @Field("d") var d: Optional<Array<Bool>>
                    @Field var e = 0.5
                    @Field var f: Array<Int> = [1]
                    @Field var g: Int { didSet {} }
                    @Field var h = [Int]()
                    var other = 5
                    var gone: Int?
                    static let size = 5
                    var computed: Int { 5 }
                }
                """#,
            #"""
            extension Shapes: DataFormConvertible {
                public static var formType: String {
                    "urn:x"
                }

                public init(from fields: FieldDecoder) throws(FormDecodingError) {
                    self.ab = try fields.decode("a-b")
                    self.`default` = try fields.decodeIfPresent("default")
                    self.c = try fields.decodeAll("c")
                    self.d = try fields.decodeAllIfPresent("d")
                    self.e = try fields.decode("e", default: self.e)
                    self.f = try fields.decodeAll("f", default: self.f)
                    self.g = try fields.decode("g")
                    self.h = try fields.decodeAll("h", default: self.h)
                }

                public func encode(to form: inout DataForm) throws(FormEncodingError) {
                    try form.encode(self.ab, for: "a-b", label: "A \"and\" b", isRequired: true)
                    try form.encode(self.`default`, for: "default")
                    try form.encode(self.c, for: "c", label: "C")
                    try form.encode(self.d, for: "d")
                    try form.encode(self.e, for: "e")
                    try form.encode(self.f, for: "f")
                    try form.encode(self.g, for: "g", isRequired: true)
                    try form.encode(self.h, for: "h")
                }
            }
            """#)
    }

    @Test(arguments: [("private", "fileprivate "), ("package", "package "), ("", "")])
    func access(written: String, expected: String) {
        expectExpansion(
            of: """
                @DataForm("urn:x")
                \(written) struct A {
                    @Field var b: [Int]
                }
                """,
            """
            extension A: DataFormConvertible {
                \(expected)static var formType: String {
                    "urn:x"
                }

                \(expected)init(from fields: FieldDecoder) throws(FormDecodingError) {
                    self.b = try fields.decodeAll("b")
                }

                \(expected)func encode(to form: inout DataForm) throws(FormEncodingError) {
                    try form.encode(self.b, for: "b")
                }
            }
            """)
    }
}
