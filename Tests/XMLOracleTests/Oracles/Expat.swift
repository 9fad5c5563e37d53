// expat as an oracle: documents in one piece, with namespaces.

import CExpat

/// Whether expat reads a document to its end without knowing namespaces; otherwise its reason.
func expatFault(withoutNamespaces input: [UInt8]) -> String? {
    guard let parser = XML_ParserCreate(nil) else { return "no memory" }
    defer { XML_ParserFree(parser) }
    let status = input.withUnsafeBytes {
        XML_Parse(parser, $0.bindMemory(to: CChar.self).baseAddress, CInt($0.count), 1)
    }
    if status == XML_STATUS_OK { return nil }
    return XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no reason"
}

/// Asks expat.
func expatVerdict(_ input: [UInt8]) -> Verdict {
    let writer = ExpatWriter()
    // No XML character is the separator, so no namespace holds it.
    guard let parser = XML_ParserCreateNS(nil, 1) else { return .refused("no memory", at: 0) }
    defer { XML_ParserFree(parser) }
    XML_SetUserData(parser, Unmanaged.passUnretained(writer).toOpaque())
    XML_SetElementHandler(
        parser,
        { data, name, attributes in
            guard let writer = ExpatWriter.at(data), let name, let attributes else { return }
            var pairs: [(name: [UInt8], value: [UInt8])] = []
            var index = 0
            while let key = attributes[index], let value = attributes[index + 1] {
                pairs.append((ExpatWriter.expanded(key), ExpatWriter.bytes(value)))
                index += 2
            }
            writer.canonical.start(ExpatWriter.expanded(name), attributes: pairs)
            writer.depth += 1
        },
        { data, _ in
            ExpatWriter.at(data)?.canonical.end()
            ExpatWriter.at(data)?.depth -= 1
        })
    XML_SetCharacterDataHandler(parser) { data, text, count in
        guard let writer = ExpatWriter.at(data), writer.depth > 0, let text else { return }
        writer.canonical.text(UnsafeBufferPointer(start: text, count: Int(count)).lazy.map { UInt8(bitPattern: $0) })
    }
    let status = input.withUnsafeBytes {
        XML_Parse(parser, $0.bindMemory(to: CChar.self).baseAddress, CInt($0.count), 1)
    }
    guard status == XML_STATUS_OK else {
        let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
        return .refused(reason ?? "no reason", at: Int(XML_GetCurrentByteIndex(parser)))
    }
    return .content(writer.canonical.bytes)
}

/// The target of expat's callbacks. It lives as long as the parser.
private final class ExpatWriter {
    var canonical = CanonicalWriter()
    var depth = 0

    static func at(_ data: UnsafeMutableRawPointer?) -> ExpatWriter? {
        data.map { Unmanaged<ExpatWriter>.fromOpaque($0).takeUnretainedValue() }
    }

    static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] { Array(String(cString: text).utf8) }

    static func expanded(_ name: UnsafePointer<CChar>) -> [UInt8] {
        let bytes = bytes(name)
        guard let separator = bytes.firstIndex(of: 1) else { return CanonicalWriter.expanded([], bytes) }
        return CanonicalWriter.expanded(bytes[..<separator], bytes[(separator + 1)...])
    }
}
