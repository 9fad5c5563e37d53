// Helpers that many tests of queries use.

import StanzaQuery
import Testing

/// An element from XML, read as in a client stream. It is a root.
func element(_ xml: String) throws -> Element {
    try Element(parsing: xml, in: .clientStream)
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

/// Bytes of a text, borrowed for a call.
func withBytes<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try Array(text.utf8).withUnsafeBufferPointer(body)
}
