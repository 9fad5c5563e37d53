// Helpers that many tests of queries use.

import Foundation
import StanzaQuery
import TestSupport
import Testing

/// An element from XML, read as in a client stream. It is a root.
func element(_ xml: String) throws -> Element {
    try Element(stanza: xml)
}

/// The error of compiling or evaluating; an issue if nothing throws.
func queryError(
    _ note: String = "", sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> QueryError? {
    do {
        try body()
        Issue.record("expected an error \(note)", sourceLocation: sourceLocation)
        return nil
    } catch let error as QueryError {
        return error
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
        return nil
    }
}

/// An article of the module's documentation.
func article(_ name: String) throws -> String {
    let folder = packageFolder.appending(path: "Sources/StanzaQuery/StanzaQuery.docc")
    return try String(contentsOf: folder.appending(path: "\(name).md"), encoding: .utf8)
}
