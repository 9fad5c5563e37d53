// The address of an entity, in the form in which two equal addresses have equal bytes. The folder Preparation brings
// each part into that form.
//
// The module imports Foundation for dates, for the texts of errors, and for the normalization of addresses that are not
// ASCII, for which the standard library has no public function. The query engine does not depend on this module.

/// An XMPP address (RFC 7622): `localpart@domain/resource`, of which only the domain is required.
///
/// ```swift
/// let jid = try JID(parsing: "Juliet@Capulet.example/Balcony")
/// ```
///
/// Initializers prepare each part as RFC 7622 requires: the localpart and the domain in lower case, all parts in
/// Unicode's normalization form C. The text of an address contains no control characters, and fits into a line.
public struct JID: Sendable {
    /// The prepared address.
    let text: String
    /// The offset of the domain in the UTF-8 of the text: 0 without a localpart.
    private let domainStart: UInt16
    /// The offset of the domain's end.
    private let domainEnd: UInt16

    /// The maximum length of each part, in bytes of UTF-8.
    public static let maximumPartLength = 1023

    /// Reads and prepares an address.
    ///
    /// - Throws: ``JIDError``, with the part, the position in the text and the reason.
    /// - Complexity: O(n). An address in lower case ASCII is not copied.
    public init(parsing text: String) throws(JIDError) {
        if let shape = text.utf8.withContiguousStorageIfAvailable(PlainAddress.init) ?? nil {
            self.init(text: text, domainStart: shape.domainStart, domainEnd: shape.domainEnd)
            return
        }
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
        let bare = text[..<(slash ?? text.endIndex)]
        let at = bare.utf8.firstIndex(of: UInt8(ascii: "@"))
        func part(_ part: JIDError.Part, after separator: String.Index, to end: String.Index) -> Part {
            let start = text.utf8.index(after: separator)
            return Part(part, text[start..<end], at: text.utf8.distance(from: text.startIndex, to: start))
        }
        try self.init(
            at.map { Part(.localpart, text[..<$0]) },
            at.map { part(.domain, after: $0, to: bare.endIndex) } ?? Part(.domain, bare),
            slash.map { part(.resource, after: $0, to: text.endIndex) })
    }

    /// Prepares an address from its parts.
    ///
    /// - Throws: ``JIDError``, with the position in the part.
    public init(localpart: String? = nil, domain: String, resource: String? = nil) throws(JIDError) {
        try self.init(
            localpart.map { Part(.localpart, $0[...]) }, Part(.domain, domain[...]),
            resource.map { Part(.resource, $0[...]) })
    }

    private init(_ localpart: Part?, _ domain: Part, _ resource: Part?) throws(JIDError) {
        let local = try localpart?.prepared()
        let domain = try domain.prepared()
        let resource = try resource?.prepared()
        let start = local.map { $0.utf8.count + 1 } ?? 0
        self.init(
            text: (local.map { $0 + "@" } ?? "") + domain + (resource.map { "/" + $0 } ?? ""),
            domainStart: UInt16(start), domainEnd: UInt16(start + domain.utf8.count))
    }

    private init(text: String, domainStart: UInt16, domainEnd: UInt16) {
        self.text = text
        self.domainStart = domainStart
        self.domainEnd = domainEnd
    }
}

extension JID {
    /// The account, room or other entity at the domain; `nil` for the address of the domain itself.
    public var localpart: String? { domainStart == 0 ? nil : String(slice(0, domainStart - 1)) }

    /// The server's domain in its Unicode form, or an IP address. `asciiDomain` is the form for DNS.
    public var domain: String { String(slice(domainStart, domainEnd)) }

    /// One of the account's connections, or a person in a room; `nil` in a bare address.
    public var resource: String? { isBare ? nil : String(text.utf8.dropFirst(Int(domainEnd) + 1)) }

    /// Whether the address has no resource.
    public var isBare: Bool { Int(domainEnd) == text.utf8.count }

    /// The address without its resource.
    public var bare: JID {
        if isBare { return self }
        return JID(text: String(Substring(slice(0, domainEnd))), domainStart: domainStart, domainEnd: domainEnd)
    }

    /// The address of the domain.
    public var server: JID {
        if domainStart == 0 { return bare }
        return JID(text: domain, domainStart: 0, domainEnd: domainEnd - domainStart)
    }

    /// The same address with another resource, or without one.
    public func with(resource: String?) throws(JIDError) -> JID {
        guard let resource else { return bare }
        let prepared = try Part(.resource, resource[...]).prepared()
        return JID(text: bare.text + "/" + prepared, domainStart: domainStart, domainEnd: domainEnd)
    }

    /// The domain for DNS and certificates: labels beyond ASCII are in Punycode, as `xn--mnchen-3ya` (RFC 5890).
    public var asciiDomain: String { DomainName.ascii(domain) }

    private func slice(_ start: UInt16, _ end: UInt16) -> Substring {
        let first = text.utf8.index(text.startIndex, offsetBy: Int(start))
        return text[first..<text.utf8.index(first, offsetBy: Int(end - start))]
    }
}

/// A part of an address before its preparation.
private struct Part {
    private let part: JIDError.Part
    private let text: Substring
    /// The offset of the part in the address.
    private let offset: Int

    init(_ part: JIDError.Part, _ text: Substring, at offset: Int = 0) {
        (self.part, self.text, self.offset) = (part, text, offset)
    }

    func prepared() throws(JIDError) -> String {
        do throws(PartFault) {
            return switch part {
            case .localpart: try Profile.prepareLocalpart(text)
            case .domain: try DomainName.prepare(text)
            case .resource: try Profile.prepareResource(text)
            }
        } catch {
            throw JIDError(part: part, position: offset + error.position, reason: error.reason)
        }
    }
}
