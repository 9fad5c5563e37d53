// A program with macros, and its output. `.ci/embed` builds and runs it with several versions of swift-syntax.

import DataFormMacros
import HandlerMacros
import StanzaQueryMacros

@DataForm("urn:xmpp:http:upload:0")
struct UploadLimits {
    @Field("max-file-size") var maxFileSize: Int
}

enum Queries {
    #queries(["count": "a/b@count|int"])
}

@Handlers actor Mail {
    static let shared = Mail()

    @Handler(singleShot: true, on: "Mail.shared")
    func sent(to jid: String, attempt: Int?) { print("sent to \(jid), attempt \(attempt ?? 1)") }
}

let jid = "romeo@example.net"
let dispatcher = HandlerDispatcher(registry: try HandlerRegistry(Mail.self))
let handler = try Mail.$sent.handler(binding: #named(jid))
try await dispatcher.call(stored: dispatcher.data(of: handler), ["attempt": 2])
print("of \(UploadLimits.formType)")
let stanza = try Element(parsing: "<m><a to='romeo@example.net'>to Romeo<b count='3'/></a></m>")
let text: String? = stanza.findFirst(#query("a<to=\(jid)>#"))
let named = try stanza.find(#query(regex: "\("a")<to~@>/b"))
print(text ?? "", stanza.findFirst(Queries.count) ?? 0, named.count)
// prints sent to romeo@example.net, attempt 2
// prints of urn:xmpp:http:upload:0
// prints to Romeo 3 1
