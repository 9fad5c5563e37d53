// A query with slots that `#query` writes is parsed once: after that the address of its literal finds it.

import Testing

@testable import StanzaQuery

@Suite struct CompiledOnceTests {
    @Test func aLiteralWithSlots() {
        let literal: StaticString = "4:a<k=>#"
        let first = compiledTemplate(literal)
        #expect(compiledTemplate(literal) === first)
    }

    @Test func aLiteralWithAMistake() throws {
        let literal: StaticString = ":a//b"
        let first = compiledTemplate(literal)
        #expect(compiledTemplate(literal) === first)
        let element = try Element(parsing: "<r/>")
        #expect(queryError { _ = try element.find(_CheckedTemplate<Element>(literal)().query) }?.kind == .syntax)
    }

    @Test func forManyTasksAtOnce() async {
        let literal: StaticString = "4 5:b<k=y>#"
        let found = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<8 { group.addTask { ObjectIdentifier(compiledTemplate(literal)) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found.count == 1)
    }
}
