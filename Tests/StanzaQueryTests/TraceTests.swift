// Listings and traces: what a query becomes, and what it does.

import Testing

@testable import StanzaQuery

@Suite struct TraceTests {
    @Test func listing() throws {
        let query = try Query("items/item<id~^a>@id|int")
        #expect(
            query.listing.split(separator: "\n").map { $0.split(separator: " ").prefix(3).joined(separator: " ") } == [
                "0 0-5 children.named.inherited",
                "1 6-10 children.named.inherited",
                "2 10-17 load.attribute",
                "3 10-17 has.prefix",
                "4 17-20 load.attribute",
                "5 21-24 yield.converted",
            ])
    }

    @Test func listingWithBytes() throws {
        let lines = try Query("a<k=bc>").listing(showingBytes: true).split(separator: "\n")
        #expect(lines.count == 8)
        // Each instruction is followed by its sixteen bytes or fewer; the strings end the listing.
        #expect(lines[1].split(separator: " ").count == MemoryLayout<Instruction>.size)
        #expect(lines.last?.contains("00 02 62 63") == true)
    }

    @Test func trace() throws {
        let root = try element("<pubsub><items><item id='b'/><item id='a1'/></items></pubsub>")
        let trace = try Query("items/item<id~^a>@id").trace(on: root)
        let steps = trace.steps.map { "\($0.address) \($0.element)\($0.isAdvancing ? " advances" : "")" }
        #expect(
            steps == [
                "0 pubsub",
                "1 pubsub/items[0]",
                "2 pubsub/items[0]/item[0]",
                "3 pubsub/items[0]/item[0]",
                "1 pubsub/items[0]/item[0] advances",
                "2 pubsub/items[0]/item[1]",
                "3 pubsub/items[0]/item[1]",
                "4 pubsub/items[0]/item[1]",
                "5 pubsub/items[0]/item[1]",
                "1 pubsub/items[0]/item[1] advances",
                "0 pubsub/items[0] advances",
            ])
        #expect(trace.steps.compactMap(\.result) == ["\"a1\""])
        #expect(trace.description.contains("yield.string"))
        #expect(!trace.isCut)
    }

    @Test func aLongTraceIsCut() throws {
        let root = try element("<r>" + String(repeating: "<a/>", count: 6000) + "</r>")
        let trace = try Query("*<k=v>").trace(on: root)
        #expect(trace.isCut)
        #expect(trace.steps.count == QueryTrace.maximumSteps)
    }

    @Test func argumentsAreTraced() throws {
        let root = try element("<r><a k='v'/></r>")
        #expect(try Query("a<k=%@>").trace(on: root, arguments: ["v"]).steps.last?.address == 0)
        #expect(throws: QueryError.self) { try Query("a<k=%@>").trace(on: root) }
    }
}
