// Measures how a message of five members becomes a structure: by reads that are written by hand, and by a payload.
//
//     swift run -c release --package-path Benchmarks payload-benchmarks [--record]
//
// It prints a line for each way: its name, the median of nanoseconds for one message, and allocations. With --record it
// writes them to payloads.tsv, which RESULTS.md shows.

import Foundation
import Harness
import PayloadMacros
import StanzaQuery

enum Kind: String, PayloadValue { case chat, groupchat, normal }

@Payload("{jabber:client}message")
struct Message: Equatable {
    @Attribute var from: JID?
    @Attribute var id: String?
    @Attribute var type: Kind = .normal
    @Child("body") var body: String?
    @Child var delay: Delay?

    static let document = """
        <message xmlns='jabber:client' from='romeo@example.net/orchard' id='9a7c1d0e' type='chat'>\
        <body>Art thou not Juliet, and a Capulet?</body><delay xmlns='urn:xmpp:delay' from='example.net' \
        stamp='2002-09-10T23:08:25Z'/></message>
        """
}

@Payload("{urn:xmpp:delay}delay")
struct Delay: Equatable {
    @Attribute var from: JID?
    @Attribute var stamp: Date
}

/// The reads of an app without payloads, with the same checks.
enum ByHand {
    struct Mistake: Error {}

    static func read(_ message: Element) throws -> Message {
        guard message.name == "message", message.namespace == "jabber:client" else { throw Mistake() }
        var delay: Delay?
        if let element = message.child("delay", namespace: "urn:xmpp:delay") {
            guard let stamp = try element.findFirst("/@stamp|datetime", as: Date.self) else { throw Mistake() }
            delay = Delay(from: try address(element["from"]), stamp: stamp)
        }
        var kind = Kind.normal
        if let type = message["type"] {
            guard let known = Kind(rawValue: type) else { throw Mistake() }
            kind = known
        }
        return Message(
            from: try address(message["from"]), id: message["id"], type: kind, body: message.child("body")?.text,
            delay: delay)
    }

    private static func address(_ text: String?) throws -> JID? { try text.map { try JID(parsing: $0) } }
}

@main
enum PayloadBenchmarks {
    static func main() throws {
        let tree = try Element(parsing: Message.document)
        let ways: [(name: String, read: () throws -> Message)] = [
            ("reads by hand, on the tree", { try ByHand.read(tree) }),
            ("payload, on the tree", { try Message(tree) }),
            ("payload, from bytes", { try Message(Element(parsing: Message.document)) }),
        ]
        // Results first: all ways have to agree.
        let expected = try ByHand.read(tree)
        for way in ways where try way.read() != expected {
            throw BenchmarkError("\(way.name) reads another message")
        }
        let contenders = ways.map { way in Contender(way.name) { try way.read().body?.utf8.count ?? 0 } }
        let times = try Stopwatch.full.time("a message", contenders)
        let rows = try zip(contenders, times).map { contender, time in
            let work = CountedWork(contender.name, operations: 1, contender.run)
            return [contender.name, time.short, try Counter.allocations(of: work).short]
        }
        rows.forEach { print($0.joined(separator: "\t")) }
        guard CommandLine.arguments.contains("--record") else { return }
        let day = Date().formatted(.iso8601.year().month().day())
        let head = "The output of payload-benchmarks on \(day): ways to read a message, nanoseconds, allocations."
        try Repository.write("payloads.tsv", head: head, rows)
    }
}
