// The closed set of types that stored values can have.

/// The type of a stored value, for declarations of parameters and for messages.
public indirect enum StorableType: Sendable, Hashable {
    case bool, int32, int, uint, double, string, data, date, uuid, url
    case element, handler, promise
    case array(StorableType)
    case dictionary(StorableType)
    /// A Codable type, by its registered name.
    case object(String)
}

extension StorableType: CustomStringConvertible {
    /// As in Swift: `[String: Int]`.
    public var description: String {
        switch self {
        case .bool: "Bool"
        case .int32: "Int32"
        case .int: "Int"
        case .uint: "UInt"
        case .double: "Double"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .uuid: "UUID"
        case .url: "URL"
        case .element: "Element"
        case .handler: "Handler"
        case .promise: "PromiseReference"
        case .array(let type): "[\(type)]"
        case .dictionary(let type): "[String: \(type)]"
        case .object(let name): "\(name)"
        }
    }
}
