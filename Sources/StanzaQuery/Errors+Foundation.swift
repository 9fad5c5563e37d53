// The texts that the system shows for the errors of queries and of trees, whose module does not import Foundation.

public import Foundation

extension XMLTreeError: LocalizedError {
    public var errorDescription: String? { description }
}

extension XMLParseError: LocalizedError {
    public var errorDescription: String? { description }
}

extension QueryError: LocalizedError {
    public var errorDescription: String? { description }
}

extension QuerySetError: LocalizedError {
    public var errorDescription: String? { description }
}

extension ResultTypeError: LocalizedError {
    public var errorDescription: String? { description }
}
