// The values that you can pass to a query for its printf-style specifiers (6.1).
//
// ArgumentFormatting.swift prints them.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value that can take the place of a specifier in a query's filters (6.1, 6.3).
///
/// ```swift
/// let item = try element.findFirst("items<node=%@>/item<id=%u>", node, 17)?.element
/// ```
///
/// Strings, numbers, Booleans and `UUID` are arguments; with the package's trait `Foundation` also `URL`, and with
/// `XMPPSession` addresses. Any other value becomes one through its description:
/// `QueryArgumentValue.text(String(describing: value))`.
public protocol QueryArgument {
    /// The form of this value that specifiers print.
    var queryArgument: QueryArgumentValue { get }
}

/// The form of an argument that specifiers print.
public enum QueryArgumentValue: Sendable, Hashable {
    case text(String)
    case integer(Int64)
    /// An integer that may be above `Int64.max`.
    case unsigned(UInt64)
    case floating(Double)
    case boolean(Bool)
}

extension QueryArgumentValue: QueryArgument {
    @inlinable public var queryArgument: QueryArgumentValue { self }
}

extension String: QueryArgument {
    @inlinable public var queryArgument: QueryArgumentValue { .text(self) }
}

extension Substring: QueryArgument {
    @inlinable public var queryArgument: QueryArgumentValue { .text(String(self)) }
}

extension Character: QueryArgument {
    @inlinable public var queryArgument: QueryArgumentValue { .text(String(self)) }
}

extension Unicode.Scalar: QueryArgument {
    @inlinable public var queryArgument: QueryArgumentValue { .text(String(self)) }
}

extension UUID: QueryArgument {
    /// The text in capitals, as `uuidString`.
    @inlinable public var queryArgument: QueryArgumentValue { .text(uuidString) }
}

extension Bool: QueryArgument {
    @inlinable public var queryArgument: QueryArgumentValue { .boolean(self) }
}

extension Double: QueryArgument {
    @inlinable public var queryArgument: QueryArgumentValue { .floating(self) }
}

extension Float: QueryArgument {
    /// The number with its shortest digits: `%@` prints `0.1`, without the further digits of a `Double`.
    @inlinable public var queryArgument: QueryArgumentValue { .floating(Double(description) ?? Double(self)) }
}

extension QueryArgument where Self: FixedWidthInteger & SignedInteger {
    /// The number, or its text if it does not fit 64 bits.
    @inlinable public var queryArgument: QueryArgumentValue {
        Int64(exactly: self).map { .integer($0) } ?? .text(String(self))
    }
}

extension QueryArgument where Self: FixedWidthInteger & UnsignedInteger {
    /// The number, or its text if it does not fit 64 bits.
    @inlinable public var queryArgument: QueryArgumentValue {
        UInt64(exactly: self).map { .unsigned($0) } ?? .text(String(self))
    }
}

// QueryDecodable.swift makes integers conform.
