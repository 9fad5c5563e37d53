// Prints handlers as JSON for debugging. The JSON holds the values of all arguments: keep it out of logs.

public import Foundation
import TextValues

extension Handler {
    /// The handler with all its arguments as JSON, indented, with sorted keys.
    ///
    /// The JSON is for reading; no function loads it. Values may hold secrets.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding cannot fail: the form holds Booleans, integers, strings, arrays and objects only.
        guard let data = try? encoder.encode(JSONForm(self)) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns the handler in stored data as JSON, whether or not any program knows its names and types.
    ///
    /// - Throws: `HandlerError` for data that are damaged.
    public static func json(of data: Data) throws(HandlerError) -> String {
        try HandlerDecoder.handler(in: data).json
    }
}

/// The JSON values that this file writes.
private indirect enum JSONForm: Encodable {
    case bool(Bool), int(Int), string(String), array([JSONForm]), object([String: JSONForm])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }

    init(_ handler: Handler) {
        var members: [String: JSONForm] = [
            "handler": .string(handler.name.description), "id": .string(handler.id.uuidString),
            "version": .int(handler.version), "arguments": Self(arguments: handler.arguments),
        ]
        switch handler.mark {
        case .called: members["state"] = .string("called")
        case .invalidated(let reason): members["state"] = .string("invalidated: \(reason)")
        case nil: members["state"] = .string("active")
        }
        if let invalidation = handler.invalidation {
            var inner: [String: JSONForm] = [
                "handler": .string(invalidation.name.description), "version": .int(invalidation.version),
            ]
            if let arguments = invalidation.arguments { inner["arguments"] = Self(arguments: arguments) }
            members["invalidation"] = .object(inner)
        }
        self = .object(members)
    }

    private init(arguments: [String: StoredValue]) {
        self = .object(
            arguments.mapValues { .object(["type": .string($0.typeDescription), "value": JSONForm($0)]) })
    }

    private init(_ value: StoredValue) {
        self =
            switch value {
            case .bool(let value): .bool(value)
            case .int32(let value): .int(Int(value))
            case .int(let value): .int(value)
            case .uint(let value): Int(exactly: value).map { .int($0) } ?? .string("\(value)")
            // JSON has neither infinity nor NaN.
            case .double(let value): .string("\(value)")
            case .string(let value): .string(value)
            case .data(let value): .string(value.base64EncodedString())
            case .date(let value):
                .string(
                    DateTimeText.text(secondsSince1970: value.timeIntervalSince1970)
                        ?? "\(value.timeIntervalSince1970) seconds after 1970")
            case .uuid(let value): .string(value.uuidString)
            case .url(let value): .string(value.absoluteString)
            case .element(let value): .string(value.xmlString())
            case .handler(let value): JSONForm(value)
            case .promise(let value): .string(value.id.uuidString)
            case .array(let values): .array(values.map { JSONForm($0) })
            case .dictionary(let values): .object(values.mapValues { JSONForm($0) })
            case .object(let value): .string(String(decoding: value.json, as: UTF8.self))
            }
    }
}
