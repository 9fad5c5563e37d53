// Decodes handlers from untrusted bytes. It bounds depth, count and size, and calls nothing.
//
// The result is well-formed. HandlerRegistry checks whether this program knows its names and types.

import Foundation
import XMLTree

/// Reads one handler.
struct HandlerDecoder {
    private var input: ByteReader
    private var values = 0
    private var depth = 0
    private var handlers = 0
    /// The marks of the decoded handlers. `finish()` sets them after everything was read.
    private var marks: [(state: HandlerState, mark: HandlerMark)] = []

    /// The states of the decoded handlers: copies that were stored together share one.
    private var states: [UUID: HandlerState] = [:]

    /// Decodes the handler in stored data.
    static func handler(in data: Data) throws(HandlerError) -> Handler {
        try decode(data, .handler) { decoder throws(HandlerError) in try decoder.readHandler() }
    }

    static func value(in data: Data) throws(HandlerError) -> StoredValue {
        try decode(data, .value) { decoder throws(HandlerError) in try decoder.readValue() }
    }

    private static func decode<Value>(
        _ data: Data, _ kind: StoredFormat.Kind, _ read: (inout HandlerDecoder) throws(HandlerError) -> Value
    ) throws(HandlerError) -> Value {
        var decoder = HandlerDecoder(input: ByteReader(try StoredFormat.payload(of: data, kind)))
        let value = try read(&decoder)
        try decoder.finish()
        return value
    }

    private init(input: ByteReader) { self.input = input }

    private func finish() throws(HandlerError) {
        guard input.isAtEnd else { throw input.corrupt("something follows the end") }
        for (state, mark) in marks { _ = state.settle(mark) }
    }

    private mutating func readHandler() throws(HandlerError) -> Handler {
        if handlers > HandlerLimits.nestedHandlers {
            throw HandlerError(.tooDeep(.nestedHandlers, maximum: HandlerLimits.nestedHandlers))
        }
        handlers += 1
        defer { handlers -= 1 }
        let flags = HandlerFlags(rawValue: try input.readByte())
        guard flags.isSubset(of: .known), !flags.isSuperset(of: [.called, .invalidated]),
            flags.contains(.hasInvalidation) || !flags.contains(.hasInvalidationArguments)
        else { throw input.corrupt("unknown flags") }
        let id = try input.readID()
        var mark: HandlerMark? = flags.contains(.called) ? .called : nil
        if flags.contains(.invalidated) {
            mark = .invalidated(InvalidationReason(rawValue: try input.readString()))
        }
        let (name, version) = try readName()
        var invalidation: Handler.Invalidation?
        if flags.contains(.hasInvalidation) {
            let (name, version) = try readName()
            invalidation = Handler.Invalidation(name: name, version: version)
        }
        let arguments = try readArguments()
        if flags.contains(.hasInvalidationArguments) { invalidation?.arguments = try readArguments() }
        let state = states[id] ?? HandlerState()
        states[id] = state
        if let mark { marks.append((state, mark)) }
        return Handler(
            id: id, name: name, version: version, invalidation: invalidation, arguments: arguments, state: state)
    }

    private mutating func readName() throws(HandlerError) -> (HandlerName, version: Int) {
        let name = HandlerName(type: try input.readName(), function: try input.readName())
        // Errors and logs show names, even those that no registry knows.
        guard name.isValid else { throw input.corrupt("a handler's name with characters that none has") }
        return (name, try readVersion())
    }

    private mutating func readVersion() throws(HandlerError) -> Int {
        let version = try input.readNumber()
        guard version <= UInt64(HandlerLimits.version) else {
            throw HandlerError(.tooLarge(.version, maximum: HandlerLimits.version))
        }
        guard version > 0 else { throw input.corrupt("a version 0") }
        return Int(version)
    }

    private mutating func readArguments() throws(HandlerError) -> [String: StoredValue] {
        let count = try input.readCount(limit: HandlerLimits.arguments, .arguments)
        return try readPairs(count) { input throws(HandlerError) in try input.readName() }
    }

    /// Reads names or keys, which must be in the order of their bytes, each with a value.
    private mutating func readPairs(
        _ count: Int, key readKey: (inout ByteReader) throws(HandlerError) -> String
    ) throws(HandlerError) -> [String: StoredValue] {
        var pairs: [String: StoredValue] = [:]
        var last: String?
        for _ in 0..<count {
            let key = try readKey(&input)
            if let last, !last.precedes(key) { throw input.corrupt("names out of order") }
            last = key
            let value = try readValue()
            guard pairs.updateValue(value, forKey: key) == nil else {
                throw input.corrupt("a name that is there twice")
            }
        }
        return pairs
    }

    private mutating func readValue() throws(HandlerError) -> StoredValue {
        values += 1
        if values > HandlerLimits.values { throw HandlerError(.tooLarge(.values, maximum: HandlerLimits.values)) }
        depth += 1
        if depth > HandlerLimits.depth { throw HandlerError(.tooDeep(.depth, maximum: HandlerLimits.depth)) }
        defer { depth -= 1 }
        guard let tag = ValueTag(rawValue: try input.readByte()) else { throw input.corrupt("a value of unknown type") }
        switch tag {
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .int32: return .int32(try readInteger { input throws(HandlerError) in try input.readSigned() })
        case .int: return .int(try readInteger { input throws(HandlerError) in try input.readSigned() })
        case .uint: return .uint(try readInteger { input throws(HandlerError) in try input.readNumber() })
        case .double: return .double(Double(bitPattern: try input.readFixed()))
        case .string: return .string(try input.readString())
        case .data: return .data(Data(try input.readBytes()))
        case .date: return .date(try input.readDate())
        case .uuid: return .uuid(try input.readID())
        case .url: return .url(try readURL())
        case .element: return .element(try readElement())
        case .handler: return .handler(try readHandler())
        case .promise: return .promise(PromiseReference(id: try input.readID()))
        case .array:
            let count = try input.readCount(limit: HandlerLimits.values, .values)
            var values: [StoredValue] = []
            for _ in 0..<count { values.append(try readValue()) }
            return .array(values)
        case .dictionary:
            let count = try input.readCount(limit: HandlerLimits.values, .values)
            return .dictionary(try readPairs(count) { input throws(HandlerError) in try input.readString() })
        case .object:
            let type = try input.readName()
            let version = try readVersion()
            return .object(StoredObject(type: type, version: version, json: Data(try input.readBytes())))
        }
    }

    private mutating func readInteger<Wide: FixedWidthInteger, Narrow: FixedWidthInteger>(
        _ read: (inout ByteReader) throws(HandlerError) -> Wide
    ) throws(HandlerError) -> Narrow {
        guard let number = Narrow(exactly: try read(&input)) else { throw input.corrupt("a number beyond its type") }
        return number
    }

    private mutating func readURL() throws(HandlerError) -> URL {
        let text = try input.readString()
        // Foundation does not read the empty URL, which components without parts make.
        guard let url = text.isEmpty ? URLComponents().url : URL(string: text) else {
            throw input.corrupt("an invalid URL")
        }
        return url
    }

    private mutating func readElement() throws(HandlerError) -> Element {
        var context = NamespaceContext.empty
        var prefixes: [StringMap.Entry] = []
        for _ in 0..<(try input.readCount(limit: ParserLimits.defaultDeclarations, .values)) {
            let prefix = try input.readString()
            let namespace = try input.readString()
            if prefix.isEmpty { context.defaultNamespace = namespace } else { prefixes.append((prefix, namespace)) }
        }
        context.prefixes = StringMap(prefixes)
        let xml = try input.readBytes()
        do throws(XMLParseError) {
            return try Element(parsing: xml, in: context)
        } catch {
            throw input.corrupt("an invalid element")
        }
    }
}
