// Why two parsers may disagree about a document. Each rule has a case in XMLOracleTests; what no rule explains is a
// mistake.

import XMLTree

/// A written reason for a difference.
public enum Disagreement: String, CaseIterable, Sendable {
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
    public static func fromExpat(_ input: [UInt8], ours: Verdict, error: XMLParseError?, theirs: Verdict) -> Self? {
        if let common = common(input, error) { return common }
        switch (ours.isContent, theirs.isContent) {
        case (true, false):
            if markup(of: input).contains(where: { $0 >= 0x80 }) { return .edition }
            if hasVersion(input) { return .version }
            return nil
        case (false, true):
            return hasVersion(input) ? .version : nil
        default:
            return nil
        }
    }

    /// The rule that explains why libxml2 says something else.
    public static func fromLibXML2(_ input: [UInt8], ours: Verdict, error: XMLParseError?, theirs: Verdict) -> Self? {
        if let common = common(input, error) { return common }
        switch (ours.isContent, theirs.isContent) {
        case (false, true):
            if hasVersion(input), case .malformed? = error?.kind { return .version }
            return nil
        case (true, false):
            if case .refused(let reason) = theirs, reason.contains("URI") { return .uriInLibXML2 }
            return hasVersion(input) ? .version : nil
        case (true, true):
            return contains(input, "<![CDATA[") && input.contains(0x0D) ? .lineEndsInLibXML2 : nil
        default:
            return nil
        }
    }

    private static func common(_ input: [UInt8], _ error: XMLParseError?) -> Self? {
        switch error?.kind {
        case .unsupportedEncoding: return .encoding
        case .restricted(.documentType), .entityReference: return contains(input, "<!DOCTYPE") ? .documentType : nil
        default: return contains(input, "<!DOCTYPE") ? .documentType : nil
        }
    }

    /// Whether the input begins with the declaration of another version.
    private static func hasVersion(_ input: [UInt8]) -> Bool {
        let begin = input.firstIndex(of: UInt8(ascii: "?")) ?? 0
        let declaration = Array(input[begin...].prefix { $0 != UInt8(ascii: ">") })
        return contains(declaration, "?xml") && !contains(declaration, "version='1.0'")
            && !contains(declaration, "version=\"1.0\"")
    }

    static func contains(_ input: [UInt8], _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in input.indices.contains { input[$0...].starts(with: text) } }
    }

    /// What stands between '<' and '>'.
    private static func markup(of input: [UInt8]) -> [UInt8] {
        var isInside = false
        return input.filter { byte in
            if byte == UInt8(ascii: "<") { isInside = true }
            if byte == UInt8(ascii: ">") { isInside = false }
            return isInside
        }
    }
}
