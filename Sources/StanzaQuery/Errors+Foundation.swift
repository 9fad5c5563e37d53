// The texts that the system shows for the errors of queries.

public import Foundation

extension QueryError: LocalizedError {
    public var errorDescription: String? { description }
}

extension QuerySetError: LocalizedError {
    public var errorDescription: String? { description }
}

extension ResultTypeError: LocalizedError {
    public var errorDescription: String? { description }
}
