// One push parser of libxml2: made, fed, asked for its place.
//
// This file and LibXML2Callbacks.swift are all that touches libxml2. What its events mean is ParserState's business.

internal import CLibXML2

/// Bytes that libxml2 is given, and where they stand.
struct PushedBytes {
    static var none: PushedBytes { PushedBytes(UnsafeBufferPointer(start: nil, count: 0), at: .max) }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let start: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
        self.bytes = bytes
        self.start = start
    }

    /// Those between two offsets, or up to the last one; `nil` if the first of them were given before.
    func bytes(from lower: Int, to upper: Int?) -> UnsafeBufferPointer<UInt8>? {
        guard lower >= start else { return nil }
        let first = min(lower - start, bytes.count)
        let end = upper.map { min(max($0 - start, first), bytes.count) } ?? bytes.count
        return UnsafeBufferPointer(rebasing: bytes[first..<end])
    }
}

/// A libxml2 parser context and the place of its input in the whole stream. Owned by a `ParserState`, which closes it.
struct LibXML2Context {
    private let context: xmlParserCtxtPtr
    /// The offset in the stream where the input of this context begins; negative when a synthetic header does.
    private var baseOffset: Int
    /// What is being pushed, as long as it is there.
    var pushed = PushedBytes.none

    /// A context whose events go to `state`; `nil` when memory is out.
    init?(reporting state: UnsafeMutablePointer<ParserState>, baseOffset: Int) {
        LibXML2Callbacks.initializeLibrary
        var handler = LibXML2Callbacks.handler
        guard let context = xmlCreatePushParserCtxt(&handler, state, nil, 0, nil) else { return nil }
        // NOENT decodes the five entities in attribute values; others are never declared (LibXML2Callbacks.swift).
        // HUGE lifts libxml2's own limits: ours take their place. IGNORE_ENC: the declaration is checked here.
        let options =
            XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue
            | XML_PARSE_IGNORE_ENC.rawValue
        _ = xmlCtxtUseOptions(context, Int32(options))
        // What comes is UTF-8, checked before. Where libxml2 finds that out itself, it takes a second byte order mark.
        context.pointee.charset = Int32(XML_CHAR_ENCODING_UTF8.rawValue)
        // Without a document, libxml2 makes one to store the entities that a document type declares, whatever the
        // handlers say.
        context.pointee.myDoc = xmlNewDoc(nil)
        self.context = context
        self.baseOffset = baseOffset
    }

    func close() {
        // The context does not own its document.
        xmlFreeDoc(context.pointee.myDoc)
        context.pointee.myDoc = nil
        xmlFreeParserCtxt(context)
    }

    /// Parses more input. Events come while this runs.
    func push(_ bytes: UnsafeBufferPointer<UInt8>) {
        bytes.withMemoryRebound(to: CChar.self) { bytes in
            _ = xmlParseChunk(context, bytes.baseAddress, Int32(bytes.count), 0)
        }
    }

    /// Parses what is pending, as far as possible without more input. Nothing can be pushed afterwards.
    func finish() {
        _ = xmlParseChunk(context, nil, 0, 1)
    }

    /// Makes libxml2 return as soon as it can; it reads nothing more. Unlike `xmlStopParser` this leaves the input
    /// alone, and so the places.
    func halt() {
        context.pointee.errNo = Int32(XML_ERR_USER_STOP.rawValue)
        context.pointee.disableSAX = 1
        context.pointee.instate = XML_PARSER_EOF
    }

    // MARK: Places

    /// What libxml2 gets from now on stands that much further behind in the stream than what it got before says.
    mutating func shift(by distance: Int) {
        baseOffset += distance
    }

    private var parserInput: UnsafeMutablePointer<xmlParserInput>? { context.pointee.input }

    /// What libxml2 holds of its input: consumed or not, it may be read.
    @inline(__always)
    var input: ReadableMemory {
        guard let input = parserInput else { return .none }
        return ReadableMemory(
            UnsafeBufferPointer(start: input.pointee.base, count: input.pointee.end - input.pointee.base))
    }

    /// The offset of the first byte that libxml2 has not consumed.
    var offset: Int {
        guard let input = parserInput else { return baseOffset }
        return baseOffset + Int(input.pointee.consumed) + (input.pointee.cur - input.pointee.base)
    }

    /// The bytes from `offset` on that libxml2 has not consumed.
    var pending: UnsafeBufferPointer<UInt8> {
        guard let input = parserInput else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: input.pointee.cur, count: input.pointee.end - input.pointee.cur)
    }

    /// The bytes between two offsets, or up to the last that were pushed, as far as libxml2 still holds them: always
    /// those of the last `push`, and those that were pending when it began.
    func bytes(from lower: Int, to upper: Int? = nil) -> UnsafeBufferPointer<UInt8> {
        guard let input = parserInput else { return UnsafeBufferPointer(start: nil, count: 0) }
        let held = UnsafeBufferPointer(start: input.pointee.base, count: input.pointee.end - input.pointee.base)
        let heldOffset = baseOffset + Int(input.pointee.consumed)
        // In document types and instructions, it drops what it has read even while it reads on.
        if lower < heldOffset, let bytes = pushed.bytes(from: lower, to: upper) { return bytes }
        // As offsets: what is held may begin before the stream, with a synthetic root.
        let heldEnd = heldOffset + held.count
        let start = min(max(lower, heldOffset), heldEnd)
        let end = upper.map { min(max($0, start), heldEnd) } ?? heldEnd
        return UnsafeBufferPointer(rebasing: held[start - heldOffset..<end - heldOffset])
    }

    /// The local name of the element that is open.
    var openName: String? {
        context.pointee.name.map { String(decoding: $0.terminated, as: UTF8.self) }
    }

    /// Whether the beginning of a CDATA section was consumed and not its end.
    var isInCharacterData: Bool { context.pointee.instate == XML_PARSER_CDATA_SECTION }

    /// Whether an attribute's value is being read.
    var isInAttributeValue: Bool { context.pointee.instate == XML_PARSER_ATTRIBUTE_VALUE }

    /// The number of strings that libxml2 has interned: all parts of names, and namespaces.
    var dictionarySize: Int { Int(xmlDictSize(context.pointee.dict)) }

    /// The number of namespace declarations in scope: libxml2 counts prefixes and namespaces.
    var declarationCount: Int { Int(context.pointee.nsNr) / 2 }
}
