// libxml2 as an oracle: documents in one piece, by SAX2.

import CLibXML2

/// Asks libxml2.
func libxml2Verdict(_ input: [UInt8]) -> Verdict {
    let writer = LibXML2Writer()
    var handler = xmlSAXHandler()
    handler.initialized = sax2Magic
    handler.startElementNs = { data, name, _, uri, _, _, count, _, attributes in
        guard let writer = LibXML2Writer.at(data), let name else { return }
        var pairs: [(name: [UInt8], value: [UInt8])] = []
        for index in 0..<Int(count) {
            guard let attributes, let key = attributes[5 * index], let start = attributes[5 * index + 3],
                let end = attributes[5 * index + 4]
            else { continue }
            let value = Array(UnsafeBufferPointer(start: start, count: end - start))
            pairs.append((LibXML2Writer.expanded(attributes[5 * index + 2], key), value))
        }
        writer.canonical.start(LibXML2Writer.expanded(uri, name), attributes: pairs)
    }
    handler.endElementNs = { data, _, _, _ in LibXML2Writer.at(data)?.canonical.end() }
    let text: charactersSAXFunc = { data, text, count in
        LibXML2Writer.at(data)?.canonical.text(UnsafeBufferPointer(start: text, count: Int(count)))
    }
    handler.characters = text
    handler.ignorableWhitespace = text
    handler.cdataBlock = text
    let data = Unmanaged.passUnretained(writer).toOpaque()
    guard let context = xmlCreatePushParserCtxt(&handler, data, nil, 0, nil) else {
        return .refused("no memory", at: 0)
    }
    defer { xmlFreeParserCtxt(context) }
    let options = XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue
    xmlCtxtUseOptions(context, CInt(options | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue))
    _ = input.withUnsafeBytes {
        xmlParseChunk(context, $0.bindMemory(to: CChar.self).baseAddress, CInt($0.count), 1)
    }
    guard context.pointee.wellFormed == 1, context.pointee.nsWellFormed == 1 else {
        let reason = xmlCtxtGetLastError(context)?.pointee.message
        let text = reason.map { String(cString: $0) } ?? "no reason"
        return .refused(text, at: xmlByteConsumed(context))
    }
    return .content(writer.canonical.bytes)
}

private let sax2Magic: UInt32 = 0xDEED_BEAF

/// The target of libxml2's callbacks. It lives as long as the parser.
private final class LibXML2Writer {
    var canonical = CanonicalWriter()

    static func at(_ data: UnsafeMutableRawPointer?) -> LibXML2Writer? {
        data.map { Unmanaged<LibXML2Writer>.fromOpaque($0).takeUnretainedValue() }
    }

    static func expanded(_ uri: UnsafePointer<UInt8>?, _ name: UnsafePointer<UInt8>) -> [UInt8] {
        CanonicalWriter.expanded(uri.map { String(cString: $0).utf8.map(\.self) } ?? [], String(cString: name).utf8)
    }
}
