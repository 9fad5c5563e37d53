// A query with slots that `#query` writes is parsed once: after that the address of its literal finds it.

import Testing

@testable import StanzaQuery

@Suite struct CompiledOnceTests {
    @Test func aLiteralWithSlots() throws {
        let literal: StaticString = "4:a<k=>#"
        let first = try TemplateCache.template(literal)
        #expect(try TemplateCache.template(literal) === first)
    }

    @Test func forManyTasksAtOnce() async throws {
        let literal: StaticString = "4 5:b<k=y>#"
        let found = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<8 { group.addTask { ObjectIdentifier(try TemplateCache.template(literal)) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found.count == 1)
    }
}
