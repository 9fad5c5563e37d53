// The tags that begin and end a client's stream, and the check of the server's header.

import XMLTree
import XMPPCore

/// The start tag of a stream (RFC 6120 §4.7).
enum StreamHeader {
    /// The client's header.
    ///
    /// - Parameters:
    ///   - domain: the domain that the stream is for. Bare addresses hold no XML markup.
    ///   - from: the client's account.
    static func bytes(to domain: String, from: JID?) -> [UInt8] {
        let from = from.map { " from='\($0.bare)'" } ?? ""
        return Array(
            ("<?xml version='1.0'?><stream:stream to='\(domain)'\(from) version='1.0' xml:lang='en' "
                + "xmlns='\(Namespaces.client)' xmlns:stream='\(XMLNamespace.stream)'>").utf8)
    }

    static let end = Array("</stream:stream>".utf8)

    /// The first fault of the server's header, with the stream error for it; `nil` if there is none.
    static func fault(of header: XMLStreamParser.StreamHeader) -> (condition: String, reason: String)? {
        let root = header.element
        if !root.isNamed("stream", XMLNamespace.stream) {
            return ("invalid-namespace", "expected a stream of \(XMLNamespace.stream), found <\(root.name)/>")
        }
        if header.namespaces.defaultNamespace != Namespaces.client {
            return ("invalid-namespace", "expected the stream's default namespace to be \(Namespaces.client)")
        }
        // Versions before 1.0 have no features (§4.7.5).
        guard let version = root["version"], let major = Int(version.prefix { $0 != "." }), major >= 1 else {
            return ("unsupported-version", "expected the stream's version to be 1.0")
        }
        return nil
    }

    /// A stream error and the end of the stream.
    static func error(_ condition: String) -> [UInt8] {
        Array("<stream:error><\(condition) xmlns='\(Namespaces.streamErrors)'/></stream:error>".utf8) + end
    }
}
