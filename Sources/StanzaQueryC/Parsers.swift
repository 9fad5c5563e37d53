// Streaming parsers for C.

import CStanzaQuery
import StanzaQuery

/// A streaming parser that C holds.
final class HeldParser {
    var parser: XMLStreamParser
    /// The reason why bytes are missing, until an event reports it.
    var misuse: String?

    init(_ mode: XMLStreamParser.Mode) {
        parser = XMLStreamParser(mode: mode)
    }
}

@_cdecl("stanza_parser_create")
public func parserCreate(_ mode: Int32) -> OpaquePointer? {
    switch mode {
    case STANZA_PARSER_STREAM: Handle.owning(HeldParser(.stream))
    case STANZA_PARSER_DOCUMENT: Handle.owning(HeldParser(.document))
    case STANZA_PARSER_FRAGMENTS: Handle.owning(HeldParser(.fragments(in: .clientStream)))
    default: nil
    }
}

@_cdecl("stanza_parser_feed")
public func parserFeed(_ parser: OpaquePointer?, _ input: UnsafePointer<CChar>?, _ length: Int) {
    let parser = Handle<HeldParser>.object(parser)
    if let input = bytes(input, length) {
        parser?.parser.feed(input)
    } else {
        parser?.misuse =
            "the parser was fed no valid bytes: the pointer is missing, or the length is too large"
    }
}

@_cdecl("stanza_parser_finish")
public func parserFinish(_ parser: OpaquePointer?) { Handle<HeldParser>.object(parser)?.parser.finish() }

@_cdecl("stanza_parser_next")
public func parserNext(
    _ parser: OpaquePointer?, _ element: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    element?.pointee = nil
    return reporting(error) { () throws(CallError) in
        guard let parser = Handle<HeldParser>.object(parser) else { throw .use("the parser is missing") }
        if let misuse = parser.misuse {
            parser.misuse = nil
            throw .use(misuse)
        }
        do throws(XMLParseError) {
            switch try parser.parser.next() {
            case .streamStart(let header):
                element?.pointee = Handle.owning(HeldElement(header.element))
                return STANZA_EVENT_STREAM_START
            case .element(let stanza, _):
                element?.pointee = Handle.owning(HeldElement(stanza))
                return STANZA_EVENT_ELEMENT
            case .rejected(let stanza):
                error?.pointee = Handle.owning(Failure(stanza.error))
                return STANZA_EVENT_REJECTED
            case .streamEnd: return STANZA_EVENT_STREAM_END
            case nil: return STANZA_EVENT_NONE
            }
        } catch {
            throw .xml(error)
        }
    } ?? STANZA_EVENT_ERROR
}

@_cdecl("stanza_parser_reset")
public func parserReset(_ parser: OpaquePointer?) {
    let parser = Handle<HeldParser>.object(parser)
    parser?.parser.reset()
    parser?.misuse = nil
}

@_cdecl("stanza_parser_free")
public func parserFree(_ parser: OpaquePointer?) { Handle<HeldParser>.free(parser) }
