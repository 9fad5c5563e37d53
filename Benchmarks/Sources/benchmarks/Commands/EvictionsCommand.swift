// Threads that evict each other's queries from the cache, evaluate queries, sets and elements that nothing else holds,
// and edit trees: in release, because only the optimizer moves reference counts.

import ArgumentParser
import Foundation
import StanzaQuery
import Synchronization

struct EvictionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evictions",
        abstract:
            "Queries with more texts than the cache keeps, lazy results, sets and editable trees, from several threads; "
            + "fails on a wrong answer.")

    @Option(help: "The number of calls of all threads.")
    var calls = 3_000_000

    /// More than the cache keeps, so that each thread frees queries that another has just got. The parser has more
    /// nodes of every eighth than its list holds on the stack.
    private static let texts = (0..<1_100).map { number in
        "/message/body" + String(repeating: "<number=\(number)>", count: number % 8 == 7 ? 40 : 1)
    }
    /// One more than the machines of the checks have processors: a thread can be stopped at any instruction.
    private static let threadCount = 3
    /// More than a set's matches have without memory of their own.
    private static let items = 40

    func run() throws {
        let items = (0..<Self.items).map { "<item number='\($0)'/>" }.joined()
        let stanza = try Element(parsing: "<message><body number='7'/>\(items)</message>")
        let routes = try QuerySet((0..<Self.items).map { try Query("/message/item<number=\($0)>") })
        let wrong = Atomic<Int>(0)
        let group = DispatchGroup()
        for thread in 0..<Self.threadCount {
            group.enter()
            Thread.detachNewThread { [calls] in
                // Other texts for each thread.
                var random = UInt64(thread)
                for call in 0..<calls / Self.threadCount {
                    random = random &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
                    let number = Int(random >> 33) % Self.texts.count
                    let isFound = try? stanza.check(Query(Self.texts[number]))
                    if isFound != (number == 7) { wrong.add(1, ordering: .relaxed) }
                    if call % 32 > 0 { continue }
                    if (try? Self.isRight(stanza, routes)) != true { wrong.add(1, ordering: .relaxed) }
                    if !Self.isRightAfterEdits(stanza, number) { wrong.add(1, ordering: .relaxed) }
                }
                group.leave()
            }
        }
        group.wait()
        let count = wrong.load(ordering: .relaxed)
        print("\(calls) queries from \(Self.threadCount) threads, \(Self.texts.count) texts: \(count) wrong answers")
        if count > 0 { throw ExitCode.failure }
    }

    /// Whether lazy results and a set's matches are right, of a tree, queries and a set without other owners.
    private static func isRight(_ stanza: Element, _ routes: QuerySet) throws -> Bool {
        var count = 0
        for item in try stanza.copy().results(of: Query("item", as: Element.self)) where item.name == "item" {
            count += 1
        }
        try stanza.copy().results(of: Query("item", as: Element.self)).forEachBorrowed { item in
            if item.firstChild == nil { count += 1 }
        }
        try stanza.copy().results(of: Query("item@number", as: String.self)).forEachUTF8 { count += $0.isEmpty ? 0 : 1 }
        for item in try stanza.thaw().find(Query("item", as: Element.self)) where item["number"] != nil {
            count += 1
        }
        var own = routes
        let id = try own.insert(Query("/message/body"), priority: 1)
        let root = try Element(parsing: "<r>\(stanza)</r>")
        let first = try root.firstChild.flatMap { try own.bestMatch(in: $0) }
        return count == 4 * items && first == id && own.matches(stanza.copy()).count == items + 1
    }

    /// Whether a tree is right that is built around a shared one, edited and frozen. It grows, shrinks and splits, and
    /// handles to its elements come and go.
    private static func isRightAfterEdits(_ stanza: Element, _ number: Int) -> Bool {
        let text = String(repeating: "x", count: number)
        let root = MutableElement("root", attributes: ["id": text, "xml:lang": "en"]) {
            stanza
            text
        }
        guard let message = root.firstChild, let last = message.children.last?.remove() else { return false }
        for child in message.children.prefix(number % items) { child.replace(with: last) }
        for position in 0..<number % 100 {
            message.addChild("item", namespace: "urn:x", attributes: ["number": "\(position)"], text: text).text? += "y"
        }
        message["{urn:x}id"] = text
        let frozen = root.freeze()
        message.children.first?.remove().addText(text)
        message.removeAllContent()
        root.text = nil
        guard let copy = frozen.firstChild else { return false }
        return copy.children.count == items + number % 100 && copy["{urn:x}id"] == text && frozen.text ?? "" == text
            && last["number"] == "\(items - 1)" && frozen.thaw().freeze() == frozen && root.children.count == 1
    }
}
