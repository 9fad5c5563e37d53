// The domain of an address (RFC 7622 §3.2): labels of internationalized names (RFC 5890 to 5893), or an IP address.
//
// XMPP servers also have names that DNS would not accept: labels may contain underscores, and be longer than 63 bytes.

enum DomainName {
    /// Brings a domain into its Unicode form: lower case, labels of Punycode decoded, without a dot at the end.
    static func prepare(_ text: Substring) throws(PartFault) -> String {
        if text.utf8.first == UInt8(ascii: "[") { return try prepareAddress(text) }
        var name = try Profile.normalize(text) { $0.mapped(\.narrowedInDomains).lowercasedWithFinalSigma }[...]
        // Offsets in a shortened text are not those of the original.
        let hasOffsets = name.utf8.count == text.utf8.count
        // The root of DNS is allowed, and ignored.
        if name.utf8.last == UInt8(ascii: ".") { name = Substring(name.unicodeScalars.dropLast()) }
        if name.isEmpty { throw PartFault(.empty) }
        var labels: [String] = []
        var offset = 0
        for label in Self.labels(of: name) {
            do throws(PartFault) {
                labels.append(try prepareLabel(label))
            } catch {
                if case .invalidLabel = error.reason { throw PartFault(.invalidLabel, at: hasOffsets ? offset : 0) }
                throw error.located(in: text)
            }
            offset += label.utf8.count + 1
        }
        let isRightToLeft = labels.contains { BidiRule.isNeeded(for: $0.unicodeScalars) }
        if isRightToLeft, !labels.allSatisfy({ BidiRule.isSatisfied(byLabel: $0.unicodeScalars) }) {
            throw PartFault(.mixedDirections)
        }
        let prepared = labels.joined(separator: ".")
        if prepared.utf8.count > JID.maximumPartLength { throw PartFault(.tooLong) }
        return prepared
    }

    /// The name with Punycode for the labels beyond ASCII.
    static func ascii(_ prepared: String) -> String {
        if prepared.utf8.isASCII { return prepared }
        return labels(of: prepared[...]).map { label in
            label.utf8.isASCII ? String(label) : prefix + Punycode.encode(label.unicodeScalars)
        }.joined(separator: ".")
    }

    /// The texts between dots. A dot can be one `Character` with a letter before it.
    private static func labels(of name: Substring) -> [Substring] {
        name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(Substring.init)
    }

    private static let hyphen = UInt8(ascii: "-")
    /// The beginning of labels in Punycode (RFC 5890 §2.3.2.5).
    private static let prefix = "xn--"

    private static func prepareLabel(_ label: Substring) throws(PartFault) -> String {
        guard label.utf8.starts(with: prefix.utf8) else {
            try check(label)
            return String(label)
        }
        // Only the encoding of a prepared label is allowed (RFC 5891 §5.3).
        let encoded = label.utf8.dropFirst(prefix.utf8.count)
        guard let decoded = Punycode.decode(encoded), !decoded.utf8.isASCII,
            Punycode.encode(decoded.unicodeScalars).utf8.elementsEqual(encoded),
            decoded[...].mapped(\.narrowedInDomains).lowercasedWithFinalSigma.canonicallyComposed.utf8
                .elementsEqual(decoded.utf8)
        else { throw PartFault(.invalidLabel) }
        try check(decoded)
        return decoded
    }

    /// Checks a label in Unicode (RFC 5891 §4.2.3).
    private static func check(_ label: some StringProtocol) throws(PartFault) {
        guard let first = label.unicodeScalars.first, first != "-", label.unicodeScalars.last != "-",
            label.utf8.isASCII || !label.unicodeScalars.dropFirst(2).starts(with: ["-", "-"])
        else { throw PartFault(.invalidLabel) }
        try Profile.checkUsername(label) { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen,
                UInt8(ascii: "_"):
                false
            default: true
            }
        }
        switch first.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: throw PartFault(.invalidLabel)
        default: break
        }
    }
}

// MARK: IP addresses

extension DomainName {
    /// An IPv6 address in brackets. Those of IPv4 are names of four labels.
    private static func prepareAddress(_ text: Substring) throws(PartFault) -> String {
        guard text.utf8.last == UInt8(ascii: "]"), isIPv6(Substring(text.utf8.dropFirst().dropLast())) else {
            throw PartFault(.invalidIPAddress)
        }
        return text.lowercased()
    }

    /// Whether a text is an IPv6 address without a zone (RFC 4291 §2.2).
    private static func isIPv6(_ text: Substring) -> Bool {
        guard let gap = text.firstRange(of: "::") else { return groupCount(text, mayEndInIPv4: true) == 8 }
        let (before, after) = (text[..<gap.lowerBound], text[gap.upperBound...])
        guard let first = before.isEmpty ? 0 : groupCount(before, mayEndInIPv4: false),
            let last = after.isEmpty ? 0 : groupCount(after, mayEndInIPv4: true)
        else { return false }
        return first + last <= 7
    }

    /// The number of groups of 16 bits; `nil` if one is not valid.
    private static func groupCount(_ text: Substring, mayEndInIPv4: Bool) -> Int? {
        var groups = text.split(separator: ":", omittingEmptySubsequences: false)
        var count = 0
        if mayEndInIPv4, let last = groups.last, isIPv4(last) {
            groups.removeLast()
            count = 2
        }
        return groups.allSatisfy(isGroup) ? groups.count + count : nil
    }

    private static func isGroup(_ text: Substring) -> Bool {
        (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private static func isIPv4(_ text: Substring) -> Bool {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { number in
                number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                    && UInt8(number) != nil && (number.utf8.count == 1 || number.utf8.first != UInt8(ascii: "0"))
            }
    }
}

extension Unicode.Scalar {
    /// The scalar in a domain: the ideographic full stop separates labels, too (RFC 5895 §2).
    fileprivate var narrowedInDomains: Unicode.Scalar {
        let narrowed = narrowed
        return narrowed == "\u{3002}" ? "." : narrowed
    }
}
