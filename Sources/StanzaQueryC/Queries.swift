// Queries for C: compiling, evaluating, and the values of specifiers.

import CStanzaQuery
import StanzaQuery

/// A query that C holds. It never changes.
final class HeldQuery: Sendable {
    let query: Query

    init(_ query: Query) {
        self.query = query
    }
}

@_cdecl("stanza_query_compile")
public func queryCompile(
    _ text: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    reporting(error) { () throws(CallError) in
        guard let text = string(text, length) else { throw .use("the query's text is missing or not UTF-8") }
        return Handle.owning(HeldQuery(try queried { () throws(QueryError) in try Query(text) }))
    }
}

@_cdecl("stanza_query_result_kind")
public func queryResultKind(_ query: OpaquePointer?) -> Int32 {
    Handle<HeldQuery>.object(query)?.query.resultKind.number ?? 0
}

@_cdecl("stanza_query_argument_count")
public func queryArgumentCount(_ query: OpaquePointer?) -> Int {
    Handle<HeldQuery>.object(query)?.query.argumentCount ?? 0
}

@_cdecl("stanza_query_free")
public func queryFree(_ query: OpaquePointer?) { Handle<HeldQuery>.free(query) }

// MARK: Evaluation

@_cdecl("stanza_check")
public func check(
    _ query: OpaquePointer?, _ element: OpaquePointer?, _ arguments: UnsafePointer<stanza_argument>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    reporting(error) { () throws(CallError) in
        let question = try Question(query, element, arguments, count)
        return try queried { () throws(QueryError) in
            try question.element.check(question.query, arguments: question.arguments) ? 1 : 0
        }
    } ?? -1
}

@_cdecl("stanza_find")
public func find(
    _ query: OpaquePointer?, _ element: OpaquePointer?, _ arguments: UnsafePointer<stanza_argument>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    reporting(error) { () throws(CallError) in
        let question = try Question(query, element, arguments, count)
        let values = try queried { () throws(QueryError) in
            try question.element.find(question.query, arguments: question.arguments)
        }
        return Handle.owning(Results(values))
    }
}

@_cdecl("stanza_find_first")
public func findFirst(
    _ query: OpaquePointer?, _ element: OpaquePointer?, _ arguments: UnsafePointer<stanza_argument>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    reporting(error) { () throws(CallError) in
        let question = try Question(query, element, arguments, count)
        let value = try queried { () throws(QueryError) in
            try question.element.findFirst(question.query, arguments: question.arguments)
        }
        return Handle.owning(Results(value.map { [$0] } ?? []))
    }
}

/// The query and element of an evaluation.
private struct Question {
    let query: Query
    let element: Element
    let arguments: [QueryArgumentValue]

    init(
        _ query: OpaquePointer?, _ element: OpaquePointer?, _ arguments: UnsafePointer<stanza_argument>?, _ count: Int
    ) throws(CallError) {
        guard let query = Handle<HeldQuery>.object(query)?.query else { throw .use("the query is missing") }
        guard let element = Handle<HeldElement>.object(element)?.element else { throw .use("the element is missing") }
        guard count >= 0, arguments != nil || count == 0 else { throw .use("the arguments are missing") }
        guard count <= Int.max / MemoryLayout<stanza_argument>.stride else {
            throw .use("no memory has \(count) arguments")
        }
        var values: [QueryArgumentValue] = []
        for argument in UnsafeBufferPointer(start: arguments, count: count) {
            values.append(try QueryArgumentValue(argument))
        }
        self.query = query
        self.element = element
        self.arguments = values
    }
}

extension QueryArgumentValue {
    fileprivate init(_ argument: stanza_argument) throws(CallError) {
        switch argument.kind {
        case STANZA_ARGUMENT_TEXT:
            guard let text = string(argument.value.text.bytes, argument.value.text.length) else {
                throw .use("an argument is missing or not UTF-8")
            }
            self = .text(text)
        case STANZA_ARGUMENT_INTEGER: self = .integer(argument.value.integer)
        case STANZA_ARGUMENT_UNSIGNED: self = .unsigned(argument.value.unsigned_integer)
        case STANZA_ARGUMENT_FLOATING: self = .floating(argument.value.floating)
        case STANZA_ARGUMENT_BOOLEAN: self = .boolean(argument.value.integer != 0)
        default: throw .use("\(argument.kind) is not a kind of argument")
        }
    }
}

private func queried<Result>(_ work: () throws(QueryError) -> Result) throws(CallError) -> Result {
    do throws(QueryError) {
        return try work()
    } catch {
        throw .query(error)
    }
}
