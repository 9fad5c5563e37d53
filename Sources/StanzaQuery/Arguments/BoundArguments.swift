// A query's arguments, checked and printed: the bytes that its filters compare with (6.1, 6.3).
//
// Made once for an evaluation, before anything is looked at. The machine only reads the bytes.

import QuerySyntax

/// The values of a program's templates for one evaluation.
struct BoundArguments {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []

    /// A program without templates and an evaluation without arguments.
    static let none = BoundArguments()

    private init() {}

    /// Checks the arguments against all specifiers, from left to right, and prints them.
    init(_ arguments: [any QueryArgument], for program: Program, sourceLength: Int) throws(Diagnostic) {
        var rest = arguments[...]
        var expected = 0
        for template in program.templates {
            let start = bytes.count
            for part in template.parts {
                switch part {
                case .text(let text): bytes.append(contentsOf: text.utf8)
                case .specifier(let specifier):
                    expected += 1
                    bytes.append(contentsOf: try Self.text(for: specifier, from: rest.popFirst()).utf8)
                }
            }
            ranges.append(start..<bytes.count)
        }
        if !rest.isEmpty {
            throw Diagnostic(
                .tooManyArguments(expected: expected, given: arguments.count), at: 0..<sourceLength)
        }
    }

    private static func text(for specifier: FormatSpecifier, from argument: (any QueryArgument)?)
        throws(Diagnostic) -> String
    {
        guard let argument else { throw Diagnostic(.missingArgument(specifier: specifier), at: specifier.range) }
        let value = argument.queryArgument
        guard let text = specifier.format(value) else {
            throw Diagnostic(
                .argumentMismatch(specifier: specifier, given: value.kindDescription), at: specifier.range)
        }
        return text
    }

    /// Lends the bytes of all values.
    func withValues<Result, Failure: Error>(
        _ body: (ArgumentValues) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure> = bytes.withUnsafeBufferPointer { bytes in
            ranges.withUnsafeBufferPointer { ranges in
                do throws(Failure) {
                    return .success(try body(ArgumentValues(bytes: bytes, ranges: ranges)))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try outcome.get()
    }
}

/// The borrowed values of an evaluation's templates.
struct ArgumentValues {
    fileprivate let bytes: UnsafeBufferPointer<UInt8>
    fileprivate let ranges: UnsafeBufferPointer<Range<Int>>

    /// No arguments.
    static var none: ArgumentValues {
        ArgumentValues(
            bytes: UnsafeBufferPointer(start: nil, count: 0), ranges: UnsafeBufferPointer(start: nil, count: 0))
    }

    subscript(_ index: ArgumentIndex) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[ranges[Int(index.rawValue)]])
    }
}
