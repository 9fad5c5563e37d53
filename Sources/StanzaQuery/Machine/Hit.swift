// A result of the machine: positions and borrowed bytes, which do not retain the tree.
//
// The public form is QueryResult; QueryResult+Hit.swift converts a hit to it. A caller that only needs to know whether
// a result exists drops the hit, which allocated nothing.

import FormModel
import Foundation
import QuerySyntax
import TextValues
import XMLTree

/// One result of a program.
enum Hit {
    case element(NodeIndex)
    case attributes(NodeIndex)
    case string(UnsafeBufferPointer<UInt8>)
    /// The own text of an element; not joined yet.
    case text(NodeIndex)
    /// The own text of an element, with a conversion that every text has.
    case convertedText(NodeIndex, Conversion)
    case converted(ConvertedValue)
    case form(NodeIndex)
    case field(FormReader.FieldPlace)
}

extension Conversion {
    /// Whether every text has a result, so that the existence of a result needs no conversion.
    func isTotal(isStrict: Bool) -> Bool {
        switch self {
        case .bool, .int, .uint, .double: !isStrict
        case .uuidcast: true
        case .datetime, .base64, .uuid: false
        }
    }
}

/// A converted text (4.4).
enum ConvertedValue {
    case bool(Bool)
    case int(Int)
    case uint(UInt)
    case double(Double)
    /// Any text, with a conversion that every text has.
    case total(UnsafeBufferPointer<UInt8>, Conversion)
    /// Seconds since 1970-01-01T00:00:00Z.
    case datetime(Double)
    /// Valid base64, not decoded yet.
    case base64(UnsafeBufferPointer<UInt8>, isStrict: Bool)
    case uuid(UUID)

    /// `nil` if the text gives no result.
    init?(_ text: UnsafeBufferPointer<UInt8>, _ conversion: Conversion, isStrict: Bool) {
        if conversion.isTotal(isStrict: isStrict) {
            self = .total(text, conversion)
            return
        }
        let value: ConvertedValue? =
            switch conversion {
            case .bool: NumberConversion.bool(text, isStrict: true).map { .bool($0) }
            case .int: NumberConversion.int(text, isStrict: true).map { .int($0) }
            case .uint: NumberConversion.uint(text, isStrict: true).map { .uint($0) }
            case .double: NumberConversion.double(text, isStrict: true).map { .double($0) }
            case .datetime: DateTimeText.secondsSince1970(text).map { .datetime($0) }
            case .base64:
                Base64Text.isValid(text, isStrict: isStrict) ? .base64(text, isStrict: isStrict) : nil
            case .uuid: UUIDText.uuid(text).map { .uuid($0) }
            case .uuidcast: nil
            }
        guard let value else { return nil }
        self = value
    }
}
