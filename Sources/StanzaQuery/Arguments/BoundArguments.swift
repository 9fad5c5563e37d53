// A query's arguments, checked and printed: the bytes that its filters compare with (6.1, 6.3).
//
// Each evaluation makes them once, first of all, in temporary memory. The machine only reads the bytes.

import QuerySyntax

/// The borrowed values of an evaluation's filters, for the filters with specifiers.
struct ArgumentValues: BitwiseCopyable {
    /// The place of each value, then the values; places count from here. See ArgumentWriter.swift.
    fileprivate let start: UnsafeRawPointer?

    /// No arguments.
    static var none: ArgumentValues { ArgumentValues(start: nil) }

    /// One of the values of the program that the arguments were bound for.
    @inline(__always)
    subscript(_ number: Int) -> UnsafeBufferPointer<UInt8> {
        // ArgumentWriter.swift has written ranges and bytes at these places. Neither is a reference.
        let start = start.unsafelyUnwrapped
        let place = start.assumingMemoryBound(to: Range<Int>.self)[number]
        return UnsafeBufferPointer(
            start: (start + place.lowerBound).assumingMemoryBound(to: UInt8.self),
            count: place.upperBound &- place.lowerBound)
    }
}

extension ArgumentValues {
    /// Checks the arguments against all specifiers, prints them, and lends the values. Allocates nothing for usual
    /// arguments.
    @inline(__always)
    static func bind<Result>(
        _ arguments: UnsafeBufferPointer<QueryArgumentValue>, for query: Program,
        _ body: (ArgumentValues) throws(QueryError) -> Result
    ) throws(QueryError) -> Result {
        // `withUnsafeTemporaryAllocation` has no typed errors before Swift 6.3, so the outcome is carried out.
        let outcome: Swift.Result<Result, QueryError> = withUnsafeTemporaryAllocation(
            byteCount: ArgumentWriter.usualByteCount, alignment: ArgumentWriter.alignment
        ) { buffer in
            var writer = ArgumentWriter(buffer)
            defer { withExtendedLifetime(writer) {} }
            guard writer.write(arguments, .passUnretained(query)) else {
                return .failure(QueryError(arguments, misfit: query))
            }
            do throws(QueryError) {
                return .success(try body(ArgumentValues(start: writer.start)))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

extension QueryError {
    /// Reports a mistake that concerns the whole query.
    init(_ query: Program, _ problem: Diagnostic.Problem) {
        self.init(source: query.source, Diagnostic(problem, at: 0..<query.source.utf8.count))
    }

    /// Reports the leftmost mistake of arguments that do not fit the query (7.2).
    @inline(never)
    fileprivate init(_ arguments: UnsafeBufferPointer<QueryArgumentValue>, misfit query: Program) {
        if let error = query.error {
            self = error
            return
        }
        // Too many arguments concern the whole query, which begins before any specifier.
        let expected = query.argumentCount
        if arguments.count > expected {
            self.init(query, .tooManyArguments(expected: expected, given: arguments.count))
            return
        }
        for (position, specifier) in query.specifiers.enumerated() {
            guard position < arguments.count else {
                self.init(source: query.source, Diagnostic(.missingArgument(specifier: specifier), at: specifier.range))
                return
            }
            let argument = arguments[position]
            if specifier.format(argument) == nil {
                let problem = Diagnostic(
                    .argumentMismatch(specifier: specifier, given: argument.kindDescription), at: specifier.range)
                self.init(source: query.source, problem)
                return
            }
        }
        preconditionFailure("all arguments fit")
    }
}
