// Registries and dispatchers of a few definitions, made for one test each.

import Foundation
import Handlers
import Logging
import XMLTree

extension HandlerDispatcher {
    /// Creates a dispatcher that knows these handlers.
    init(_ handlers: HandlerDefinition..., objects: [any StorableObject.Type] = []) throws {
        self.init(try HandlerRegistry(handlers: handlers, objects: objects))
    }

    /// Creates a dispatcher that logs nothing.
    init(_ registry: HandlerRegistry) {
        self.init(registry: registry, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// Returns the `HandlerError` that the body throws.
func handlerError(_ body: () async throws -> Void) async -> HandlerError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? HandlerError
    }
}

/// Makes a handler with a value of every storable type.
func handlerOfEverything(in dispatcher: HandlerDispatcher) throws -> Handler {
    let inner = try dispatcher.handler("Test|inner", binding: ["number": 7])
    return try dispatcher.handler(
        "Test|everything", invalidation: "Test|inner",
        binding: [
            "bool": true, "false": false, "int32": Int32.min, "int": -5, "large": Int.max, "uint": UInt.max,
            "double": -0.5, "string": "Grüße, 🌍", "empty": "", "data": Data([0, 255, 7]),
            "date": Date(timeIntervalSinceReferenceDate: 12345.678),
            "uuid": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            "url": URL(string: "https://example.net/a?b=c#d"),
            "element": try Element(
                parsing: "<iq xmlns='jabber:client' type='result'><a:b xmlns:a='urn:a' a:c='d'>t</a:b>tail</iq>"),
            "handler": inner,
            "promise": PromiseReference(id: UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))),
            "array": [1, 2, 3], "strings": ["a": "b", "": "c"], "nested": [["x": [true]], [:]],
            "object": Upload(file: "a.png", size: 3), "objects": [Upload(file: "b", size: 0)],
        ])
}

/// The definitions for `handlerOfEverything(in:)`.
let definitionsOfEverything = [
    HandlerDefinition("Test|inner", HandlerParameter("number", Int?.self)) { _ in },
    HandlerDefinition("Test|everything") {},
]
