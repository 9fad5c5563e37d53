// The parts of Foundation that double the size of a static program: `Data`, `URL` and `LocalizedError` bring nearly all
// of FoundationEssentials. `Date` and `UUID` bring some kilobytes, and need no trait.

public import QuerySyntax
public import XMLTree

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

#if Foundation
extension _QueryResultTypes {
    public typealias Base64 = Data
}

extension Data: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .base64 }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> Data? { queryResult.data }
}

extension URL: QueryDecodable, QueryArgument {
    @inlinable public static var queryResultKinds: ResultKinds { .string }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> URL? {
        queryResult.string.flatMap { URL(string: $0) }
    }

    @inlinable public var queryArgument: QueryArgumentValue { .text(absoluteString) }
}

/// An error whose text for the system is its description.
protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    public var errorDescription: String? { description }
}

extension XMLTreeError: LocalizedError, DescribedError {}
extension XMLParseError: LocalizedError, DescribedError {}
extension QueryError: LocalizedError, DescribedError {}
extension QuerySetError: LocalizedError, DescribedError {}
extension Diagnostic: LocalizedError, DescribedError {}
#else
extension QueryResult {
    public typealias Data = [UInt8]
}

extension _QueryResultTypes {
    public typealias Base64 = [UInt8]
}

extension [UInt8]: QueryDecodable {
    @inlinable public static var queryResultKinds: ResultKinds { .base64 }
    @inlinable public static func decode<Node>(queryResult: QueryResult<Node>) -> [UInt8]? { queryResult.data }
}
#endif
