// The modules that users of StanzaQuery import along with it, and the texts that the system shows for errors of modules
// that do not import Foundation.

@_exported public import FormModel
public import QuerySyntax
@_exported public import XMLTree

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
