// What many tests of queries write again and again.

import StanzaQuery
import Testing

/// An element from XML, read as if it stood in a client stream. It is a root.
func element(_ xml: String) throws -> Element {
    try Element(parsing: xml, in: .clientStream)
}

/// What compiling or evaluating throws; an issue when it throws nothing.
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
