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
