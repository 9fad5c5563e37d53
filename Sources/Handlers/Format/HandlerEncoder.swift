// Encodes handlers as bytes, within the limits of decoding: every stored handler can be loaded.

import Foundation
import XMLTree

/// Writes one handler.
struct HandlerEncoder {
    private var output = ByteWriter(limit: HandlerLimits.bytes)
    private var values = 0
    private var depth = 0
    private var handlers = 0
    /// The current argument, for messages.
    private var argument = ""

    /// Encodes a handler. Throws if it exceeds a limit.
    static func data(of handler: Handler) throws(HandlerError) -> Data {
        try data(.handler, handler.name) { encoder throws(HandlerError) in try encoder.write(handler) }
    }

    static func data(of value: StoredValue) throws(HandlerError) -> Data {
        try data(.value, nil) { encoder throws(HandlerError) in try encoder.write(value) }
    }

    private static func data(
        _ kind: StoredFormat.Kind, _ handler: HandlerName?,
        _ write: (inout HandlerEncoder) throws(HandlerError) -> Void
    ) throws(HandlerError) -> Data {
        var encoder = HandlerEncoder()
        do {
            try write(&encoder)
            try encoder.output.checkLimit()
        } catch {
            throw HandlerError(error.kind, handler: handler)
        }
        return StoredFormat.frame(encoder.output.bytes, kind)
    }

    private mutating func write(_ handler: Handler) throws(HandlerError) {
        if handlers > HandlerLimits.nestedHandlers {
            throw HandlerError(.tooDeep(.nestedHandlers, maximum: HandlerLimits.nestedHandlers))
        }
        handlers += 1
        defer { handlers -= 1 }
        var flags: HandlerFlags = []
        let mark = handler.mark
        if handler.invalidation != nil { flags.insert(.hasInvalidation) }
        if handler.invalidation?.arguments != nil { flags.insert(.hasInvalidationArguments) }
        switch mark {
        case .called: flags.insert(.called)
        case .invalidated: flags.insert(.invalidated)
        case nil: break
        }
        output.write(byte: flags.rawValue)
        output.write(handler.id)
        if case .invalidated(let reason) = mark { try output.write(reason.rawValue) }
        try write(handler.name, version: handler.version)
        if let invalidation = handler.invalidation { try write(invalidation.name, version: invalidation.version) }
        try write(handler.arguments)
        if let arguments = handler.invalidation?.arguments { try write(arguments) }
    }

    private mutating func write(_ name: HandlerName, version: Int) throws(HandlerError) {
        try write(name: name.type)
        try write(name: name.function)
        output.write(count: version)
    }

    private mutating func write(name: String) throws(HandlerError) {
        guard name.utf8.count <= HandlerLimits.nameBytes else {
            throw HandlerError(.tooLarge(.nameBytes, maximum: HandlerLimits.nameBytes))
        }
        guard name.isName else { throw HandlerError(.invalidName) }
        try output.write(name)
    }

    private mutating func write(_ arguments: [String: StoredValue]) throws(HandlerError) {
        guard arguments.count <= HandlerLimits.arguments else {
            throw HandlerError(.tooLarge(.arguments, maximum: HandlerLimits.arguments))
        }
        output.write(count: arguments.count)
        for (name, value) in arguments.sorted(by: { $0.key.precedes($1.key) }) {
            argument = name
            try write(name: name)
            try write(value)
        }
    }

    private mutating func write(_ value: StoredValue) throws(HandlerError) {
        values += 1
        if values > HandlerLimits.values { throw HandlerError(.tooLarge(.values, maximum: HandlerLimits.values)) }
        depth += 1
        if depth > HandlerLimits.depth { throw HandlerError(.tooDeep(.depth, maximum: HandlerLimits.depth)) }
        defer { depth -= 1 }
        switch value {
        case .bool(let value): write(value ? .true : .false)
        case .int32(let value): write(.int32, signed: Int64(value))
        case .int(let value): write(.int, signed: Int64(value))
        case .uint(let value):
            write(.uint)
            output.write(UInt64(value))
        case .double(let value): write(.double, bits: value.bitPattern)
        case .date(let value): write(.date, bits: value.timeIntervalSinceReferenceDate.bitPattern)
        case .string(let value): try write(.string, value)
        case .url(let value): try write(.url, value.absoluteString)
        case .data(let value):
            write(.data)
            try output.write(value)
        case .uuid(let value):
            write(.uuid)
            output.write(value)
        case .promise(let value):
            write(.promise)
            output.write(value.id)
        case .element(let value):
            write(.element)
            try write(value)
        case .handler(let value):
            write(.handler)
            try write(value)
        case .array(let values):
            write(.array)
            output.write(count: values.count)
            for value in values { try write(value) }
        case .dictionary(let values):
            write(.dictionary)
            output.write(count: values.count)
            for (key, value) in values.sorted(by: { $0.key.precedes($1.key) }) {
                try output.write(key)
                try write(value)
            }
        case .object(let value):
            write(.object)
            try write(name: value.type)
            output.write(count: value.version)
            try output.write(value.json)
        }
    }

    private mutating func write(_ tag: ValueTag) { output.write(byte: tag.rawValue) }

    private mutating func write(_ tag: ValueTag, signed number: Int64) {
        write(tag)
        output.write(signed: number)
    }

    private mutating func write(_ tag: ValueTag, bits: UInt64) {
        write(tag)
        output.write(fixed: bits)
    }

    private mutating func write(_ tag: ValueTag, _ text: String) throws(HandlerError) {
        write(tag)
        try output.write(text)
    }

    /// Writes the namespace bindings around the element, the default one under an empty prefix, and then its XML in
    /// their scope: queries may use any prefix that is in scope. A tree that code has built can exceed the limits of
    /// the parser. Parsing it here reports that at once, before the handler is needed.
    private mutating func write(_ element: Element) throws(HandlerError) {
        let context = element.namespacesInScope
        var bindings = Array(context.prefixes)
        if let namespace = context.defaultNamespace { bindings.append(("", namespace)) }
        if bindings.count > ParserLimits.defaultDeclarations {
            let reason = "more than \(ParserLimits.defaultDeclarations) namespaces are in scope"
            throw HandlerError(.unreadableElement(argument: argument, reason: reason))
        }
        let xml = element.xmlBytes(in: context)
        do throws(XMLParseError) {
            _ = try Element(parsing: xml, in: context)
        } catch {
            throw HandlerError(.unreadableElement(argument: argument, reason: "\(error)"))
        }
        output.write(count: bindings.count)
        for (prefix, namespace) in bindings.sorted(by: { $0.key.precedes($1.key) }) {
            try output.write(prefix)
            try output.write(namespace)
        }
        try output.write(xml)
    }
}

extension String {
    /// The order of keys in stored data: by their bytes.
    func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
