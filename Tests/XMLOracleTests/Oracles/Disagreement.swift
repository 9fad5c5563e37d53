// Why two parsers may disagree about a document. Each rule has a case in OracleTests; a difference without a rule is
// a mistake. A rule explains a difference only if the input shows its cause.

import XMLTree

/// A written reason for a difference.
enum Disagreement: Sendable {
    /// We read UTF-8 only; expat and libxml2 read other encodings.
    case encoding
    /// We pass over a document type and use nothing of it: no entity, no default of an attribute, no check.
    case documentType
    /// expat knows the names of XML 1.0's fourth edition, we those of the fifth.
    case edition
    /// XML 1.0 (fifth edition, §2.8) lets a processor read documents of version 1.x. expat and libxml2
    /// read others, too, or 1.0 only.
    case version
    /// libxml2 keeps carriage returns in CDATA sections. §2.11 makes line feeds of them.
    case lineEndsInLibXML2
    /// libxml2 wants namespaces to be URIs. The names that Namespaces in XML compares are strings.
    case uriInLibXML2

    /// The rule that explains why expat says something else.
    static func fromExpat(_ input: [UInt8], ours: Answer, theirs: Verdict) -> Self? {
        if let common = common(input, ours, theirs) { return common }
        guard ours.verdict.isContent, !theirs.isContent else { return nil }
        // Names have characters that expat does not know; with other names it reads the input as we do.
        let (renamed, characters) = withASCIINames(input)
        guard characters.contains(where: isUnknownToExpat) else { return nil }
        let verdict = ourAnswer(renamed) { renamed.count }.verdict
        return verdict.isContent && verdict == expatVerdict(renamed) ? .edition : nil
    }

    /// The rule that explains why libxml2 says something else.
    static func fromLibXML2(_ input: [UInt8], ours: Answer, theirs: Verdict) -> Self? {
        if let common = common(input, ours, theirs) { return common }
        switch (ours.verdict, theirs) {
        case (.content(let one), .content(let other)):
            let isSame = withLineFeeds(one) == withLineFeeds(other)
            return isSame && contains(input, "<![CDATA[") && input.contains(0x0D) ? .lineEndsInLibXML2 : nil
        case (.content, .refused(let reason, _)):
            return reason.contains("URI") ? .uriInLibXML2 : nil
        default: return nil
        }
    }

    private static func common(_ input: [UInt8], _ ours: Answer, _ theirs: Verdict) -> Self? {
        if case .unsupportedEncoding? = ours.error?.kind { return .encoding }
        if ours.verdict.isContent, !theirs.isContent, let version = version(of: input), version != "1.0" {
            return .version
        }
        if theirs.isContent, ours.error?.message.hasSuffix("expected the version 1.0 here") == true { return .version }
        return explainsDocumentType(input, ours, theirs) ? .documentType : nil
    }

    /// Whether the document type has the declaration that causes the difference.
    private static func explainsDocumentType(_ input: [UInt8], _ ours: Answer, _ theirs: Verdict) -> Bool {
        let opening = "<!DOCTYPE".utf8
        guard let start = input.indices.first(where: { input[$0...].starts(with: opening) }) else { return false }
        let rest = Array(input[start...])
        switch (ours.verdict, theirs) {
        case (.refused, .refused): return false
        // A default of an attribute.
        case (.content, .content): return contains(rest, "<!ATTLIST")
        // We check nothing in it, so they find their mistake there.
        case (.content, .refused(_, let place)): return ours.root.map { place >= start && place <= $0 } ?? false
        // An entity that is declared, or may be declared in a part that the parsers do not read.
        case (.refused, .content):
            switch ours.error?.kind {
            case .entityReference: return ["<!ENTITY", "SYSTEM", "PUBLIC", "%"].contains { contains(rest, $0) }
            case .unboundPrefix: return contains(rest, "<!ATTLIST")
            default: return false
            }
        }
    }

    /// The version that the input declares.
    private static func version(of input: [UInt8]) -> String? {
        let text = String(decoding: input.prefix(200), as: UTF8.self)
        let match = text.prefixMatch(of: /\u{FEFF}?<\?xml\s+version\s*=\s*(?:'([^']*)'|"([^"]*)")/)
        return (match?.1 ?? match?.2).map(String.init)
    }

    private static func contains(_ input: [UInt8], _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in input.indices.contains { input[$0...].starts(with: text) } }
    }

    private static func withLineFeeds(_ bytes: [UInt8]) -> [UInt8] {
        bytes.indices.compactMap { index in
            if bytes[index] != 0x0D { return bytes[index] }
            return index + 1 < bytes.count && bytes[index + 1] == 0x0A ? nil : 0x0A
        }
    }

    private static func isUnknownToExpat(_ character: Unicode.Scalar) -> Bool {
        ["<\(character)/>", "<a\(character)/>"].contains { document in
            let input = Array(document.utf8)
            return ourAnswer(input) { input.count }.verdict.isContent && !expatVerdict(input).isContent
        }
    }

    /// The input with each character beyond ASCII in a tag, outside of quotes, written in letters and digits; and these
    /// characters.
    private static func withASCIINames(_ input: [UInt8]) -> ([UInt8], Set<Unicode.Scalar>) {
        var result = ""
        var characters: Set<Unicode.Scalar> = []
        var isInside = false
        var quote: Unicode.Scalar?
        for scalar in String(decoding: input, as: UTF8.self).unicodeScalars {
            if let open = quote {
                if scalar == open { quote = nil }
            } else if isInside, scalar == "'" || scalar == "\"" {
                quote = scalar
            } else if scalar == "<" || scalar == ">" {
                isInside = scalar == "<"
            }
            if isInside, quote == nil, !scalar.isASCII {
                characters.insert(scalar)
                result += "u" + String(scalar.value, radix: 16) + "u"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return (Array(result.utf8), characters)
    }
}
