// Errors as values: the objects that a function stores in `*error`.

import CStanzaQuery
import QuerySyntax
import StanzaQuery

/// An error, as C sees it.
final class Failure {
    let kind: Int32
    let range: Range<Int>
    let name: OwnedText
    let message: OwnedText

    init(_ kind: Int32, at range: Range<Int>, name: String, message: String) {
        self.kind = kind
        self.range = range
        self.name = OwnedText(name.utf8)
        self.message = OwnedText(message.utf8)
    }

    /// A query's text is wrong, or it could not be evaluated (rule 7.1).
    convenience init(_ error: QueryError) {
        let isOfText = error.kind != .arguments && error.kind != .regexLimit
        self.init(
            isOfText ? STANZA_ERROR_QUERY : STANZA_ERROR_EVALUATION,
            at: error.range, name: error.kind.rawValue, message: error.description)
    }

    convenience init(_ error: XMLParseError) {
        let offset = error.position.offset
        self.init(
            STANZA_ERROR_XML, at: offset..<offset, name: error.streamCondition.rawValue,
            message: "\(error.position): \(error.messageWithoutSettings)")
    }

    /// The function was called in a way that it is not made for.
    convenience init(use message: String) {
        self.init(STANZA_ERROR_USE, at: 0..<0, name: "use", message: message)
    }
}

/// Runs `work`, and stores its error in `place`.
func reporting<Result>(
    _ place: UnsafeMutablePointer<OpaquePointer?>?, _ work: () throws(CallError) -> Result
) -> Result? {
    place?.pointee = nil
    do throws(CallError) {
        return try work()
    } catch {
        place?.pointee = Handle.owning(error.failure)
        return nil
    }
}

/// The error type that functions for C throw among themselves.
enum CallError: Error {
    case query(QueryError)
    case xml(XMLParseError)
    case use(String)

    var failure: Failure {
        switch self {
        case .query(let error): Failure(error)
        case .xml(let error): Failure(error)
        case .use(let message): Failure(use: message)
        }
    }
}

@_cdecl("stanza_error_kind")
public func errorKind(_ error: OpaquePointer?) -> Int32 { Handle<Failure>.object(error)?.kind ?? 0 }

@_cdecl("stanza_error_name")
public func errorName(_ error: OpaquePointer?) -> stanza_text {
    Handle<Failure>.object(error)?.name.text ?? stanza_text()
}

@_cdecl("stanza_error_message")
public func errorMessage(_ error: OpaquePointer?) -> stanza_text {
    Handle<Failure>.object(error)?.message.text ?? stanza_text()
}

@_cdecl("stanza_error_start")
public func errorStart(_ error: OpaquePointer?) -> Int { Handle<Failure>.object(error)?.range.lowerBound ?? 0 }

@_cdecl("stanza_error_end")
public func errorEnd(_ error: OpaquePointer?) -> Int { Handle<Failure>.object(error)?.range.upperBound ?? 0 }

@_cdecl("stanza_error_free")
public func errorFree(_ error: OpaquePointer?) { Handle<Failure>.free(error) }

@_cdecl("stanza_interface_version")
public func interfaceVersion() -> Int32 { STANZA_INTERFACE_VERSION }
