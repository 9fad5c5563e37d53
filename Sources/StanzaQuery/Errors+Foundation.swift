// The texts that the system shows for the errors of queries and of trees, whose module does not import Foundation.

public import Foundation
public import QuerySyntax
public import XMLTree

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

extension Diagnostic: LocalizedError {
    public var errorDescription: String? { description }
}
