// A query's arguments, checked and printed: the bytes that its filters compare with (6.1, 6.3). Each evaluation makes
// them once, before the evaluation, into memory of its caller. The machine only reads the bytes.
//
// ArgumentFormatting.swift pads, cuts and signs values.

import QuerySyntax
import XMLTree

/// Writes values, and moves to the heap if they are long.
///
/// The memory begins with a `Range<Int>` for each value, where it is; the values follow.
struct ArgumentWriter: ~Copyable {
    /// The size that fits the values of most evaluations; a constant, so that the buffer is on the stack.
    static var usualByteCount: Int { 512 }
    static var alignment: Int { MemoryLayout<Range<Int>>.alignment }

    private var buffer: UnsafeMutableRawBufferPointer
    private var isOnHeap = false
    private var count = 0

    @inline(__always)
    init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    deinit { if isOnHeap { buffer.deallocate() } }

    var start: UnsafeRawPointer? { UnsafeRawPointer(buffer.baseAddress) }

    /// Writes each of a program's values that hold specifiers and notes its place; false when the arguments do not fit.
    @inline(__always)
    mutating func write(_ arguments: UnsafeBufferPointer<QueryArgumentValue>, _ program: Unmanaged<Program>) -> Bool {
        let (pieces, count, strings, argumentCount) = program._withUnsafeGuaranteedRef {
            ($0.values, $0.parts.valueCount, $0.strings, $0.argumentCount)
        }
        return count == 0 ? arguments.count == argumentCount : write(arguments, pieces, count: count, strings)
    }

    @inline(never)
    private mutating func write(
        _ arguments: UnsafeBufferPointer<QueryArgumentValue>, _ pieces: UnsafeBufferPointer<ValuePiece>,
        count valueCount: Int, _ strings: UnsafePointer<UInt8>
    ) -> Bool {
        let placeBytes = MemoryLayout<Range<Int>>.stride
        reserve(valueCount * placeBytes)
        count = valueCount * placeBytes
        var start = count
        var place = 0
        var next = 0
        for index in pieces.indices {
            switch pieces[index] {
            case .text(let text):
                append(strings.string(at: text))
            case .argument:
                if next == arguments.count { return false }
                append(arguments[next])
                next += 1
            case .formatted(let specifier):
                if next == arguments.count || !append(arguments[next], specifier) { return false }
                next += 1
            case .end:
                buffer.storeBytes(of: start..<count, toByteOffset: place, as: Range<Int>.self)
                start = count
                place += placeBytes
            }
        }
        return next == arguments.count
    }

    // MARK: Arguments

    /// Writes an argument by its specifier; false if it does not fit.
    private mutating func append(_ argument: QueryArgumentValue, _ specifier: FormatSpecifier) -> Bool {
        if let radix = specifier.plainRadix, let number = argument.integer {
            if number.isNegative, specifier.conversion != .decimal, specifier.conversion != .integer { return false }
            append(number, radix: radix)
        } else {
            guard let text = specifier.format(argument) else { return false }
            append(text)
        }
        return true
    }

    /// An argument as `%@` prints it.
    private mutating func append(_ argument: QueryArgumentValue) {
        switch argument {
        case .text(let text): append(text)
        case .integer, .unsigned: if let number = argument.integer { append(number) }
        case .floating(let number): append(number.description)
        case .boolean(let value): append(value ? "true" : "false")
        }
    }

    // MARK: Bytes

    private mutating func append(_ text: String) { text.withBytes { append($0) } }

    private mutating func append(_ number: Sign64, radix: UInt64 = 10) {
        // 20 digits and a sign.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 21) { digits in
            var start = digits.count
            var rest = number.magnitude
            repeat {
                start -= 1
                let digit = UInt8(rest % radix)
                let first = digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10
                digits.initializeElement(at: start, to: first + digit)
                rest /= radix
            } while rest > 0
            if number.isNegative {
                start -= 1
                digits.initializeElement(at: start, to: UInt8(ascii: "-"))
            }
            append(UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        reserve(bytes.count)
        if let source = bytes.baseAddress, let start = buffer.baseAddress {
            (start + count).copyMemory(from: source, byteCount: bytes.count)
        }
        count += bytes.count
    }

    @inline(__always)
    private mutating func reserve(_ additional: Int) { if additional > buffer.count - count { grow(additional) } }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(buffer.count * 2, count + additional), alignment: Self.alignment)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if isOnHeap { buffer.deallocate() }
        buffer = larger
        isOnHeap = true
    }
}

/// The borrowed values of an evaluation's filters, for the filters with specifiers.
struct ArgumentValues: BitwiseCopyable {
    /// The place of each value, then the values; places count from here. See ArgumentWriter.swift.
    fileprivate let start: UnsafeRawPointer?

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
    /// Checks the arguments against all specifiers, formats them, and passes the values to the body. Allocates nothing
    /// for usual arguments.
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
