// The code that @Payload generates.

import Testing

@Suite struct PayloadExpansionTests {
    @Test func everyMark() {
        expectExpansion(
            of: #"""
                @Payload("{urn:x}all")
                public struct All {
                    @Attribute var id: Int
                    @Attribute("xml:lang") var language: String?
                    @Attribute var `default` = 5
                    @Text var text: String?
                    @Child("subject") var subject: String?
                    @Child("item", attribute: "jid") var addresses: [JID]
                    @PayloadMacros.Child var delay: Swift.Optional<Delay>
                    @Child(in: "keys") var keys: [Key]
                    @Flag var store: Bool
                    @Form(.result) var form: Limits?
                    @Query("a/b#") var found: String?
                    @Rest var others: [Element]
                    var note = "stays"
                    var computed: Int { 5 }
                }
                """#,
            #"""
            nonisolated extension All: Payload {
                public static let payloadName: _PayloadName = "{urn:x}all"

                public init(from reader: _PayloadReader) throws(_PayloadError) {
                    self.id = try reader.attribute("id")
                    self.language = try reader.attribute("xml:lang")
                    self.`default` = try reader.attribute("default", default: self.`default`)
                    self.text = try reader.text()
                    self.subject = try reader.child("subject")
                    self.addresses = try reader.child("item", attribute: "jid")
                    self.delay = try reader.child()
                    self.keys = try reader.within("keys").child()
                    self.store = reader.flag("store")
                    self.form = try reader.form()
                    self.found = try reader._query(StanzaQuery._CheckedTemplate<StanzaQuery._QueryResultTypes.Text>(":a/b#")())
                    self.others = try reader._rest(except: [reader._known("subject"), reader._known("item"), reader._known(as: self.delay), reader._known("keys"), reader._known("store"), reader._known("{jabber:x:data}x")])
                }

                public func encode(to writer: _PayloadWriter) throws(_PayloadError) {
                    try writer.attribute("id", self.id)
                    try writer.attribute("xml:lang", self.language)
                    try writer.attribute("default", self.`default`)
                    try writer.text(self.text)
                    try writer.child("subject", self.subject)
                    try writer.child("item", attribute: "jid", self.addresses)
                    try writer.child(self.delay)
                    try writer.within("keys").child(self.keys)
                    writer.flag("store", self.store)
                    try writer.form(self.form, as: .result)
                    writer.rest(self.others)
                }
            }
            """#)
    }

    @Test func refusingOthers() {
        expectExpansion(
            of: """
                @Payload("{urn:x}a", refusesOthers: true) struct A {
                    @Attribute var id: Int
                    @Flag("{urn:y}b") var b: Bool
                    @Child("c", in: "d") var c: [Int]
                    @Child(in: "d") var e: E?
                    @Form var form = Limits()
                }
                """,
            """
            nonisolated extension A: Payload {
                static let payloadName: _PayloadName = "{urn:x}a"

                init(from reader: _PayloadReader) throws(_PayloadError) {
                    self.id = try reader.attribute("id")
                    self.b = reader.flag("{urn:y}b")
                    self.c = try reader.within("d").child("c")
                    self.e = try reader.within("d").child()
                    self.form = try reader.form(default: self.form)
                    try reader._refuseOthers(attributes: ["id"], children: [reader._known("{urn:y}b"), reader._known("d"), reader._known("d"), reader._known("{jabber:x:data}x")], allowsText: false)
                    try reader.within("d")._refuseOthers(attributes: [], children: [reader.within("d")._known("c"), reader.within("d")._known(as: self.e)], allowsText: false)
                }

                func encode(to writer: _PayloadWriter) throws(_PayloadError) {
                    try writer.attribute("id", self.id)
                    writer.flag("{urn:y}b", self.b)
                    try writer.within("d").child("c", self.c)
                    try writer.within("d").child(self.e)
                    try writer.form(self.form)
                }
            }
            """)
    }

    @Test func choiceByName() {
        expectExpansion(
            of: #"@Payload("{urn:x}") enum A { case b; @Case("c-d") case cd; case e(E); case f(of: F) }"#,
            #"""
            nonisolated extension A: Payload {
                static let payloadName: _PayloadName = "{urn:x}b"

                static let alternativeNames: [_PayloadName] = _PayloadName._joined(["{urn:x}c-d"], [E.payloadName], [F.payloadName], E.alternativeNames, F.alternativeNames)

                init(from reader: _PayloadReader) throws(_PayloadError) {
                    if reader._isNamed("{urn:x}b") {
                        self = .b
                        return
                    }
                    if reader._isNamed("{urn:x}c-d") {
                        self = .cd
                        return
                    }
                    if reader._isNamed(as: E.self) {
                        self = .e(try E(from: reader))
                        return
                    }
                    if reader._isNamed(as: F.self) {
                        self = .f(of: try F(from: reader))
                        return
                    }
                    throw reader._noCase(of: Self.self)
                }

                var elementName: _PayloadName {
                    switch self {
                    case .b:
                        "{urn:x}b"
                    case .cd:
                        "{urn:x}c-d"
                    case .e(let payload):
                        payload.elementName
                    case .f(let payload):
                        payload.elementName
                    }
                }

                func encode(to writer: _PayloadWriter) throws(_PayloadError) {
                    switch self {
                    case .b:
                        break
                    case .cd:
                        break
                    case .e(let payload):
                        try payload.encode(to: writer)
                    case .f(let payload):
                        try payload.encode(to: writer)
                    }
                }
            }
            """#)
    }

    @Test func choiceByAttribute() {
        expectExpansion(
            of: #"@Payload("{urn:x}a", by: "type") enum A { @Case(nil) case none; @Case("b c") case b; case d(D) }"#,
            #"""
            nonisolated extension A: Payload {
                static let payloadName: _PayloadName = "{urn:x}a"

                init(from reader: _PayloadReader) throws(_PayloadError) {
                    if reader._has(nil, for: "type") {
                        self = .none
                        return
                    }
                    if reader._has("b c", for: "type") {
                        self = .b
                        return
                    }
                    if reader._has("d", for: "type") {
                        self = .d(try D(from: reader._chosen(by: "type")))
                        return
                    }
                    throw reader._noCase(of: "type", expected: "none, 'b c', 'd'")
                }

                func encode(to writer: _PayloadWriter) throws(_PayloadError) {
                    switch self {
                    case .none:
                        break
                    case .b:
                        try writer.attribute("type", "b c")
                    case .d(let payload):
                        try payload.encode(to: writer)
                        try writer.attribute("type", "d")
                    }
                }
            }
            """#)
    }

    /// A generic type has no stored static properties.
    @Test func genericStructure() {
        expectExpansion(
            of: "@Payload(\"{urn:x}a\") private struct A<B> {}",
            """
            nonisolated extension A: Payload {
                fileprivate static var payloadName: _PayloadName {
                    "{urn:x}a"
                }

                fileprivate init(from reader: _PayloadReader) throws(_PayloadError) {

                }

                fileprivate func encode(to writer: _PayloadWriter) throws(_PayloadError) {

                }
            }
            """)
    }
}
