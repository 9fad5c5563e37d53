// The code that @DataForm generates.

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
                public nonisolated static var formType: String {
                    "urn:x"
                }

                public nonisolated init(from fields: _DataFormDecoder) throws(_DataFormDecodingError) {
                    self.ab = try fields._property("a-b")
                    self.`default` = try fields._property("default")
                    self.c = try fields._property("c")
                    self.d = try fields._property("d")
                    self.e = try fields._property("e", default: self.e)
                    self.f = try fields._property("f", default: self.f)
                    self.g = try fields._property("g")
                    self.h = try fields._property("h", default: self.h)
                }

                public nonisolated func encode(to form: inout _DataForm) throws(_DataFormEncodingError) {
                    try form._setProperty(self.ab, for: "a-b", label: "A \"and\" b")
                    try form._setProperty(self.`default`, for: "default")
                    try form._setProperty(self.c, for: "c", label: "C")
                    try form._setProperty(self.d, for: "d")
                    try form._setProperty(self.e, for: "e", hasDefault: true)
                    try form._setProperty(self.f, for: "f", hasDefault: true)
                    try form._setProperty(self.g, for: "g")
                    try form._setProperty(self.h, for: "h", hasDefault: true)
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
                \(expected)nonisolated static var formType: String {
                    "urn:x"
                }

                \(expected)nonisolated init(from fields: _DataFormDecoder) throws(_DataFormDecodingError) {
                    self.b = try fields._property("b")
                }

                \(expected)nonisolated func encode(to form: inout _DataForm) throws(_DataFormEncodingError) {
                    try form._setProperty(self.b, for: "b")
                }
            }
            """)
    }
}
