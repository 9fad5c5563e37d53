// A query's arguments, checked and printed: the bytes that its filters compare with (6.1, 6.3).
//
// Made once for an evaluation, before anything is looked at, in temporary memory. The machine only reads the bytes.

import QuerySyntax
import XMLTree

/// The borrowed values of an evaluation's templates.
struct ArgumentValues: BitwiseCopyable {
    fileprivate let bytes: UnsafePointer<UInt8>?
    /// Where each value's length and bytes begin.
    fileprivate let places: UnsafePointer<Int>?

    /// No arguments.
    static var none: ArgumentValues { ArgumentValues(bytes: nil, places: nil) }

    /// The value of a template of the program that the arguments were bound for.
    @inline(__always)
    subscript(_ index: ArgumentIndex) -> UnsafeBufferPointer<UInt8> {
        let place = places.unsafelyUnwrapped[Int(index.rawValue)]
        return (bytes.unsafelyUnwrapped + place).string(at: .empty)
    }
}

extension ArgumentValues {
    /// Checks the arguments against all specifiers, from left to right, prints them, and lends the values.
    static func bind<Result>(
        _ arguments: [any QueryArgument], for query: Query,
        _ body: (ArgumentValues) throws(QueryError) -> Result
    ) throws(QueryError) -> Result {
        let templates = query.program.templates
        let outcome: Swift.Result<Result, QueryError> = withUnsafeTemporaryAllocation(
            of: Int.self, capacity: templates.count
        ) { places in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: usualByteCount) { buffer in
                var writer = ArgumentWriter(buffer)
                defer { withExtendedLifetime(writer) {} }
                do throws(QueryError) {
                    do throws(Diagnostic) {
                        try writer.write(arguments, for: query, places: places)
                    } catch {
                        throw QueryError(source: query.source, error)
                    }
                    let values = ArgumentValues(
                        bytes: writer.bytes, places: places.baseAddress.map { UnsafePointer($0) })
                    return .success(try body(values))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try outcome.get()
    }

    /// What most evaluations' values fit into; longer ones move to the heap.
    private static var usualByteCount: Int { 512 }
}

/// Writes values behind each other, each behind its length.
private struct ArgumentWriter: ~Copyable {
    private var buffer: UnsafeMutableBufferPointer<UInt8>
    private var isOnHeap = false
    private var count = 0

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    deinit {
        if isOnHeap { buffer.deallocate() }
    }

    var bytes: UnsafePointer<UInt8>? { buffer.baseAddress.map { UnsafePointer($0) } }

    mutating func write(
        _ arguments: [any QueryArgument], for query: Query, places: UnsafeMutableBufferPointer<Int>
    ) throws(Diagnostic) {
        // Too many concern the whole query, which begins before any specifier (7.2).
        let expected = query.argumentCount
        if arguments.count > expected {
            throw Diagnostic(
                .tooManyArguments(expected: expected, given: arguments.count), at: 0..<query.source.utf8.count)
        }
        var rest = arguments[...]
        for (index, template) in query.program.templates.enumerated() {
            let start = count
            for part in template.parts {
                switch part {
                case .text(let text): append(text)
                case .specifier(let specifier):
                    append(try Self.text(for: specifier, from: rest.popFirst()))
                }
            }
            places.initializeElement(at: index, to: start)
            prefixLength(ofValueAt: start)
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

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { text in
            reserve(text.count)
            _ = UnsafeMutableBufferPointer(rebasing: buffer[count...]).update(fromContentsOf: text)
            count += text.count
        }
    }

    /// Puts the length before a value that was just written.
    private mutating func prefixLength(ofValueAt start: Int) {
        let length = count - start
        let prefix = LengthPrefix.size(of: length)
        reserve(prefix)
        if let base = buffer.baseAddress {
            (base + start + prefix).update(from: base + start, count: length)
            _ = LengthPrefix.write(length, to: base + start)
        }
        count += prefix
    }

    private mutating func reserve(_ additional: Int) {
        if count + additional <= buffer.count { return }
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(buffer.count * 2, count + additional))
        _ = larger.update(fromContentsOf: UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
        if isOnHeap { buffer.deallocate() }
        buffer = larger
        isOnHeap = true
    }
}
