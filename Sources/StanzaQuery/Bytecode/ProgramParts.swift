// The parts of a program that is being made: by the compiler, or of another program when values are bound.

import QuerySyntax
import StanzaPatterns
import XMLTree

/// Steps and constants, before they become a program.
struct ProgramParts {
    var steps: [(step: Step, place: Place)] = []
    /// The strings, each after its length. Offset 0 is the empty string, as soon as there is another one.
    var strings: [UInt8] = []
    var values: [ValuePiece] = []
    /// The number of values that the compiler has added.
    var valueCount = 0
    var constants = Constants()
    /// The first step that only a machine can run, with all steps after it.
    var machineStart = Int.max
    /// The places that need the values of slots.
    var slotUses: [SlotUse] = []

    mutating func string(_ text: some Collection<UInt8>) -> UInt32 {
        if text.isEmpty { return 0 }
        if strings.isEmpty {
            strings.reserveCapacity(text.count + 3)
            strings.append(0)
        }
        let index = UInt32(strings.count)
        append(text)
        return index
    }

    /// A string that holds strings.
    mutating func strings(_ texts: [[UInt8]]) -> UInt32 {
        var list = ProgramParts()
        for text in texts { list.append(text) }
        return string(list.strings)
    }

    private mutating func append(_ text: some Collection<UInt8>) {
        let start = strings.count
        strings.append(contentsOf: repeatElement(0, count: LengthPrefix.size(of: text.count)))
        strings.withUnsafeMutableBufferPointer { strings in
            if let base = strings.baseAddress { _ = LengthPrefix.write(text.count, to: base + start) }
        }
        strings.append(contentsOf: text)
    }

    /// The source and the key of an attribute. Only this function interprets `xmlns` and `:` in an attribute's name.
    ///
    /// A name with slots has no key before they are bound.
    mutating func source(of name: AttributeName, _ reader: NameReader) -> (Step.Source, NameKey) {
        if let namespace = name.namespace {
            guard let uri = reader.key(.namespace, namespace), let local = reader.key(.local, name.name) else {
                return (.plain, .unbound)
            }
            return (.expanded, uri + local)
        }
        return reader.withBytes(of: name.name) { bytes -> (Step.Source, NameKey) in
            if bytes.elementsEqual("xmlns".utf8) { return (.namespace, .unbound) }
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return (.plain, NameKey(.local, bytes)) }
            let (prefix, local) = (bytes[..<colon], bytes[(colon + 1)...])
            constants.prefixed.append(
                PrefixedName(
                    qualified: NameKey(.qualified, bytes),
                    prefix: NameKey(.declaration, UnsafeBufferPointer(rebasing: prefix)),
                    local: NameKey(.local, UnsafeBufferPointer(rebasing: local))))
            return (.prefixed, NameKey(rawValue: UInt64(constants.prefixed.count - 1)))
        } ?? (.plain, .unbound)
    }
}

/// Reads names, in the bytes of a query's text or among the values of its slots.
struct NameReader {
    let text: UnsafeBufferPointer<UInt8>
    /// None before the slots are bound.
    var slotValues: [String] = []

    /// `nil` for a slot without a value.
    func withBytes<Result>(of name: NamePiece, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        if case .slot(let slot) = name { return slot < slotValues.count ? slotValues[slot].withBytes(body) : nil }
        return name.bytes(in: text).map(body)
    }

    func key(_ role: NameKey.Role, _ name: NamePiece) -> NameKey? { withBytes(of: name) { NameKey(role, $0) } }

    /// The key of the known part of the name that an element must have, and of its namespace.
    func key(of test: ElementTest) -> NameKey {
        let local = if case .named(let name) = test.name { key(.local, name) } else { nil as NameKey? }
        let uri = if case .named(let uri) = test.namespace { key(.namespace, uri) } else { nil as NameKey? }
        return switch (uri, local) {
        case (let uri?, let local?): uri + local
        default: uri ?? local ?? .unbound
        }
    }
}

/// The place of a step in the query's text, for listings and errors.
package struct Place: BitwiseCopyable {
    private let start: UInt32
    private let end: UInt32
    private let nameEnd: UInt32

    /// - Parameter nameEnd: The end of the attribute's name in a filter, or of an extraction before its conversion.
    init(_ range: SourceRange, nameEnd: Int) {
        start = UInt32(clamping: range.lowerBound)
        end = UInt32(clamping: range.upperBound)
        self.nameEnd = UInt32(clamping: nameEnd)
    }

    package var range: SourceRange { Int(start)..<Int(end) }
    /// The part before the condition or the conversion, with the sign before the name.
    package var head: SourceRange { Int(start)..<Int(nameEnd) }
    /// The part after the sign that follows the name: the conversion, or the condition with the `>` of the filter.
    package var rest: SourceRange { min(Int(nameEnd) + 1, Int(end))..<Int(end) }
}

/// The constants that few queries have.
struct Constants: Sendable {
    var patterns: [Pattern] = []
    var prefixed: [PrefixedName] = []
    var forms: [FormConstant] = []

    /// Whether the prefixes in scope of an element have to be known.
    var usesPrefixes: Bool { prefixed.contains { $0.prefix != .xmlPrefix } }
}

/// A regular expression that PCRE2 matches.
package struct Pattern: Sendable {
    package let regex: Regex
    /// The pattern as written.
    package let text: String
}

/// An attribute's name with a prefix (4.3).
struct PrefixedName: Sendable {
    let qualified: NameKey
    let prefix: NameKey
    let local: NameKey
}

/// A data-form query with its strings among the program's.
package struct FormConstant: Sendable {
    package var formType: ByteReference?
    package var type: ByteReference?
    package var item: Int?
    package var field: ByteReference?
}

/// A piece of a filter's value that arguments are a part of (6.1).
package enum ValuePiece: Sendable {
    /// Text to compare with.
    case text(ByteReference)
    /// The next argument as it is: `%@`.
    case argument(FormatSpecifier)
    /// The next argument, printed as the specifier says.
    case formatted(FormatSpecifier)
    /// The value is complete.
    case end

    /// The specifier that takes an argument here.
    package var specifier: FormatSpecifier? {
        switch self {
        case .argument(let specifier), .formatted(let specifier): specifier
        case .text, .end: nil
        }
    }
}
