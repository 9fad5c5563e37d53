// Turns the arguments of a call into contiguous values, without boxes and closures.
//
// The caller's module unpacks argument packs, because it knows their types: that makes it a few stores. The values are
// on the stack, valid for one evaluation.

/// The number of arguments; a constant at the call.
@_alwaysEmitIntoClient @inline(__always)
func argumentCount<each Argument>(_ types: repeat (each Argument).Type) -> Int {
    var count = 0
    for _ in repeat each types { count += 1 }
    return count
}

/// Calls the body with the values of arguments.
@_alwaysEmitIntoClient @inline(__always)
func withValues<each Argument: QueryArgument, Result>(
    of arguments: repeat each Argument, then body: (_QueryArguments) throws(QueryError) -> Result
) throws(QueryError) -> Result {
    let argumentCount = argumentCount(repeat (each Argument).self)
    if argumentCount == 0 { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
    // `withUnsafeTemporaryAllocation` has no typed errors before Swift 6.3, so the outcome is carried out.
    let outcome: Swift.Result<Result, QueryError> = withUnsafeTemporaryAllocation(
        of: QueryArgumentValue.self, capacity: argumentCount
    ) { buffer in
        var count = 0
        for argument in repeat each arguments {
            buffer.initializeElement(at: count, to: argument.queryArgument)
            count += 1
        }
        defer { buffer.deinitialize() }
        do throws(QueryError) {
            return .success(try body(UnsafeBufferPointer(buffer)))
        } catch {
            return .failure(error)
        }
    }
    return try outcome.get()
}

/// Calls the body with one value.
@_alwaysEmitIntoClient @inline(__always)
func withValue<Result>(
    _ value: borrowing QueryArgumentValue, _ body: (_QueryArguments) throws(QueryError) -> Result
) throws(QueryError) -> Result {
    try withUnsafePointer(to: value) { value throws(QueryError) in
        try body(UnsafeBufferPointer(start: value, count: 1))
    }
}
