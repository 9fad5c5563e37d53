// The parts of a program that is being made: by the compiler, or of another program when values are bound.

import QuerySyntax
import StanzaPatterns
import XMLTree

/// The number of steps and of pieces of values, and the bytes of strings.
struct ProgramSize {
    /// The last step is a yield.
    var steps = 1
    var pieces = 0
    /// The first string is the empty one.
    var strings = 1

    /// Adds a string of this length with its prefix.
    mutating func addString(_ length: Int) { strings += length + length / 64 + 2 }
}

/// Steps and constants, before they become a program.
///
/// One block of memory: the steps, then pieces of values, places, and strings. All of them are plain data. Each write
/// is checked against the size of the block.
struct ProgramParts: ~Copyable {
    let steps: UnsafeMutablePointer<Step>
    let pieces: UnsafeMutablePointer<ValuePiece>
    let places: UnsafeMutablePointer<Place>
    /// The strings, each after its length.
    let strings: UnsafeMutablePointer<UInt8>
    private let room: ProgramSize
    private(set) var size = ProgramSize(steps: 0)
    /// The number of values that the pieces make.
    private(set) var valueCount = 0
    var constants = Constants()
    /// Whether the prefixes in scope of an element have to be known.
    private(set) var usesPrefixes = false
    /// Of a text with slots: their places, and their values after they are bound. Most programs have no such arrays to
    /// release.
    var slots: (places: [SourceRange], values: [QueryArgumentValue])?
    /// The first step that only a machine can run, with all steps after it.
    var machineStart = Int.max

    /// Allocates the block.
    init(room: ProgramSize) {
        self.room = room
        let pieceStart = room.steps * MemoryLayout<Step>.stride
        let placeStart = pieceStart + room.pieces * MemoryLayout<ValuePiece>.stride
        let stringStart = placeStart + room.steps * MemoryLayout<Place>.stride
        let block = allocatedBlock(byteCount: stringStart + room.strings)
        steps = block.bindMemory(to: Step.self, capacity: room.steps)
        pieces = (block + pieceStart).bindMemory(to: ValuePiece.self, capacity: room.pieces)
        places = (block + placeStart).bindMemory(to: Place.self, capacity: room.steps)
        strings = (block + stringStart).bindMemory(to: UInt8.self, capacity: room.strings)
        strings.initialize(to: 0)
    }

    /// A copy with other room for strings, and with all pieces or none.
    init(copying parts: borrowing ProgramParts, room: ProgramSize) {
        self.init(room: room)
        precondition(
            parts.size.steps <= room.steps && parts.size.strings <= room.strings
                && (room.pieces == 0 || parts.size.pieces <= room.pieces), "a copy has room")
        size = parts.size
        constants = parts.constants
        usesPrefixes = parts.usesPrefixes
        slots = parts.slots
        machineStart = parts.machineStart
        steps.initialize(from: parts.steps, count: size.steps)
        places.initialize(from: parts.places, count: size.steps)
        strings.update(from: parts.strings, count: size.strings)
        if room.pieces == 0 {
            size.pieces = 0
        } else {
            pieces.initialize(from: parts.pieces, count: size.pieces)
            valueCount = parts.valueCount
        }
    }

    deinit { freeBlock(steps) }

    mutating func add(_ step: Step, at place: Place) {
        precondition(size.steps < room.steps, "a program has room for its steps")
        (steps + size.steps).initialize(to: step)
        (places + size.steps).initialize(to: place)
        size.steps += 1
    }

    mutating func add(_ piece: ValuePiece) {
        precondition(size.pieces < room.pieces, "a program has room for its values")
        (pieces + size.pieces).initialize(to: piece)
        size.pieces += 1
        if case .end = piece { valueCount += 1 }
    }

    mutating func string(_ text: Unescaped) -> UInt32 { text.text.isEmpty ? 0 : write { $0.add(text) } }

    mutating func string(_ text: UnsafeBufferPointer<UInt8>) -> UInt32 { string(Unescaped(text: text)) }

    func string(at reference: UInt32) -> UnsafeBufferPointer<UInt8> {
        UnsafePointer(strings).string(at: ByteReference(rawValue: reference))
    }

    /// A string that holds strings.
    mutating func strings(_ texts: PatternReduction.List) -> UInt32 {
        write { parts in
            for text in texts { _ = parts.write { $0.add(text) } }
        }
    }

    /// Adds the bytes of a string, then inserts their number before them.
    @inline(__always)
    private mutating func write(_ addBytes: (inout ProgramParts) -> Void) -> UInt32 {
        let start = size.strings
        size.strings += 1
        addBytes(&self)
        let length = size.strings - start - 1
        let prefix = LengthPrefix.size(of: length)
        size.strings += prefix - 1
        precondition(size.strings <= room.strings, "a program has room for strings")
        if prefix > 1 { (strings + start + prefix).update(from: strings + start + 1, count: length) }
        _ = LengthPrefix.write(length, to: strings + start)
        return UInt32(start)
    }

    private mutating func add(_ text: Unescaped) {
        precondition(text.text.count <= room.strings - size.strings, "a program has room for strings")
        var end = strings + size.strings
        text.forEach { byte in
            end.initialize(to: byte)
            end += 1
        }
        size.strings = end - strings
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
        guard let bytes = reader.bytes(of: name.name) else { return (.plain, .unbound) }
        if bytes.count == 5, bytes.elementsEqual("xmlns".utf8) { return (.namespace, .unbound) }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return (.plain, NameKey(.local, bytes)) }
        let prefix = NameKey(.declaration, UnsafeBufferPointer(rebasing: bytes[..<colon]))
        if prefix != .xmlPrefix { usesPrefixes = true }
        constants.prefixed.append(
            PrefixedName(
                qualified: NameKey(.qualified, bytes), prefix: prefix,
                local: NameKey(.local, UnsafeBufferPointer(rebasing: bytes[(colon + 1)...]))))
        return (.prefixed, NameKey(rawValue: UInt64(constants.prefixed.count - 1)))
    }
}

/// A text without the escapes before some of its bytes.
struct Unescaped {
    let text: UnsafeBufferPointer<UInt8>
    /// Without one, a byte that no text has.
    var escape = UInt8.max

    @inline(__always)
    func forEach(_ body: (UInt8) -> Void) {
        var place = 0
        while place < text.count {
            if text[place] == escape, place + 1 < text.count { place += 1 }
            body(text[place])
            place += 1
        }
    }
}

/// Reads names: parts of a query's text, or the values of its slots.
struct NameReader {
    /// The query's text, perhaps with the values of its slots after it.
    let text: UnsafeBufferPointer<UInt8>
    /// The places of the values. None before the slots are bound.
    var slotValues: [SourceRange]?

    /// `nil` for a slot without a value.
    func bytes(of name: NamePiece) -> UnsafeBufferPointer<UInt8>? {
        guard case .slot(let slot) = name else { return name.bytes(in: text) }
        return slotValues.map { UnsafeBufferPointer(rebasing: text[$0[slot]]) }
    }

    /// The value of a filter, or a piece of it: `%%` is a percent sign.
    func value(in range: SourceRange) -> Unescaped {
        Unescaped(text: UnsafeBufferPointer(rebasing: text[range]), escape: UInt8(ascii: "%"))
    }

    @inline(__always)
    func key(_ role: NameKey.Role, _ name: NamePiece) -> NameKey? { bytes(of: name).map { NameKey(role, $0) } }

    /// The key of the known part of the name that an element must have, and of its namespace.
    @inline(__always)
    func key(of test: ElementTest) -> NameKey {
        var sum = NameKey.unbound
        if case .named(let uri) = test.namespace, let key = key(.namespace, uri) { sum = key }
        // The key is the sum of those of its parts, and the placeholder is zero.
        if case .named(let name) = test.name, let key = key(.local, name) { sum = sum + key }
        return sum
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
