// The first byte of every stored value. A tag never gets another meaning.

/// The type of the value that follows.
enum ValueTag: UInt8 {
    case `false` = 0x00
    case `true` = 0x01
    case int32 = 0x02
    case int = 0x03
    case uint = 0x04
    case double = 0x05
    case string = 0x06
    case data = 0x07
    case date = 0x08
    case uuid = 0x09
    case url = 0x0A
    case element = 0x0B
    case handler = 0x0C
    case promise = 0x0D
    case array = 0x0E
    case dictionary = 0x0F
    case object = 0x10
}

/// The bits of the first byte of a handler.
struct HandlerFlags: OptionSet {
    let rawValue: UInt8

    static let hasInvalidation = HandlerFlags(rawValue: 1)
    static let hasInvalidationArguments = HandlerFlags(rawValue: 2)
    static let called = HandlerFlags(rawValue: 4)
    static let invalidated = HandlerFlags(rawValue: 8)

    static let known: HandlerFlags = [.hasInvalidation, .hasInvalidationArguments, .called, .invalidated]
}
