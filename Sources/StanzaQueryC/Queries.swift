// Queries for C: compiling, evaluating, and the values of specifiers.

import CStanzaQuery
import StanzaQuery

/// A query that C holds. It never changes.
final class HeldQuery: Sendable {
    let query: Query<QueryValue>

    init(_ query: Query<QueryValue>) {
        self.query = query
    }
}

@_cdecl("stanza_query_compile")
public func queryCompile(
    _ text: UnsafePointer<CChar>?, _ length: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    queryCompileWithOptions(text, length, 0, error)
}

@_cdecl("stanza_query_compile_with_options")
public func queryCompileWithOptions(
    _ text: UnsafePointer<CChar>?, _ length: Int, _ options: UInt32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    reporting(error) { () throws(CallError) in
        guard let text = string(text, length) else { throw .use("the query's text is missing or not UTF-8") }
        let options = try QueryOptions(options)
        return Handle.owning(HeldQuery(try queried { () throws(QueryError) in try Query(text, options: options) }))
    }
}

extension QueryOptions {
    /// The options of STANZA_OPTION_….
    fileprivate init(_ bits: UInt32) throws(CallError) {
        let ignoresCase = UInt32(STANZA_OPTION_CASE_INSENSITIVE_FILTERS)
        let isStrict = UInt32(STANZA_OPTION_STRICT_CONVERSIONS)
        let unknown = bits & ~(ignoresCase | isStrict)
        guard unknown == 0 else { throw .use("\(unknown) is not an option of queries") }
        self.init(ignoresCase: bits & ignoresCase != 0, isStrict: bits & isStrict != 0)
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
        return try queried { () throws(QueryError) in try question.element.check(question.bound()) ? 1 : 0 }
    } ?? -1
}

@_cdecl("stanza_find")
public func find(
    _ query: OpaquePointer?, _ element: OpaquePointer?, _ arguments: UnsafePointer<stanza_argument>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    reporting(error) { () throws(CallError) in
        let question = try Question(query, element, arguments, count)
        let values = try queried { () throws(QueryError) in try question.element.find(question.bound()) }
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
        let value = try queried { () throws(QueryError) in try question.element.findFirst(question.bound()) }
        return Handle.owning(Results(value.map { [$0] } ?? []))
    }
}

/// The query and element of an evaluation.
private struct Question {
    private let query: Query<QueryValue>
    let element: Element
    private let arguments: [QueryArgumentValue]

    func bound() throws(QueryError) -> Query<QueryValue> { try query.binding(values: arguments) }

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
