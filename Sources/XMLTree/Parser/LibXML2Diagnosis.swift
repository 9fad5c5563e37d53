// What libxml2's error codes mean here, and where the culprit begins.
//
// The codes are libxml2's (xmlerror.h) and stable. Codes that are not named here keep libxml2's message.

extension LibXML2Failure {
    /// Where the reported construct begins, seen from where libxml2 stopped.
    enum Anchor: Equatable {
        /// Exactly there.
        case here
        /// At the last byte of this value before.
        case back(to: UInt8)
        /// At the first `]]>` from there on.
        case ahead
        /// At the `--` that begins there or, if the comment is not all ASCII, ends there.
        case hyphens
    }

    /// `<?xml` where no XML declaration may stand.
    var isMisplacedDeclaration: Bool { code == 64 }

    /// `]]>` in text.
    var isEndOfCharacterData: Bool { code == 62 }

    var diagnosis: (kind: XMLParseError.Kind, anchor: Anchor) {
        switch code {
        case 1: (.malformed("'<!' must begin a comment or a CDATA section here; write '<' as &lt;"), .here)
        case 4: (.malformed("expected '<', the beginning of a document or stream"), .here)
        case 5: (.contentAfterEnd, .here)
        case 6, 7, 8: (.incompleteNumber, .back(to: .ampersand))
        case 9 where message.hasPrefix("xmlParseCharRef"): (.forbiddenReference, .back(to: .ampersand))
        case 68 where isInReference: (.incompleteReference, .back(to: .ampersand))
        // Where values of an enumeration are expected, and one that is there twice: a type that is refused anyway.
        case 67, 541: (.restricted(.attributeType), .here)
        case 68 where isInEnumeration: (.restricted(.attributeType), .here)
        case 22, 23: (.incompleteReference, .back(to: .ampersand))
        case 26, 27: (.entityReference(name), .back(to: .ampersand))
        case 38: (.lessThanInTag, .here)
        case 39, 41, 65, 68, 73: (.malformed(expectation), .here)
        case 42, 203: (.duplicateAttribute(name), .back(to: .lessThan))
        case 62: (.endOfCharacterData, .ahead)
        case 64: (.restricted(.xmlDeclaration), .back(to: .lessThan))
        case 76: (.mismatchedEndTag, .back(to: .lessThan))
        case 80: (.malformed("'--' must not stand in a comment"), .hyphens)
        case 201: (.unboundPrefix(name), .back(to: .lessThan))
        case 200, 202, 204, 205: (.malformed(trimmed), .back(to: .lessThan))
        default: (.malformed(trimmed), .here)
        }
    }

    /// The markup that this is wrong in, and what it begins with, if streams have none of it.
    var markup: (kind: XMLParseError.Markup, opening: StaticString)? {
        switch code {
        case 45, 80: (.comment, "<!--")
        case 46, 47: (.processingInstruction, "<?")
        case 65 where isInInstruction, 205 where message.contains("PI names"):
            (.processingInstruction, "<?")
        default: nil
        }
    }

    /// Whether something else stands where a name or another part of a tag should.
    var isInTag: Bool {
        switch code {
        case 39, 41, 73: true
        case 65: message.hasPrefix("attributes construct")
        case 68: !isInReference && !isInEnumeration
        default: false
        }
    }

    /// Whether `?>` would be right here.
    var mayEndInstruction: Bool { code == 57 || code == 65 && (isInInstruction || message.hasPrefix("Blank needed")) }

    private var isInInstruction: Bool { message.hasPrefix("ParsePI") }
    private var isInReference: Bool { message.hasPrefix("xmlParseEntityRef") }
    private var isInEnumeration: Bool { message.hasPrefix("Name expected in NOTATION") }

    /// Whether the only thing wrong is that the input has ended: in the document, or in a comment, a processing
    /// instruction or a CDATA section.
    var isMissingEnd: Bool { code == 5 }
    var isUnfinished: Bool { code == 45 || code == 47 || code == 63 }

    /// Whether a reference is wrong that has its ';': nothing that may follow makes it right.
    var isOfWholeReference: Bool { [26, 27].contains(code) || code == 9 && message.hasPrefix("xmlParseCharRef") }

    private var expectation: String {
        switch code {
        case 39: "expected an attribute's value in quotes here"
        case 41: "expected '=' and the attribute's value here"
        case 65: "expected white space here"
        case 68: "expected a name here; write '<' in text as &lt;"
        default: "expected '>' or an attribute here"
        }
    }

    /// libxml2's message without the line break at its end.
    private var trimmed: String {
        var text = message[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension XMLParseError.Kind {
    static let incompleteReference = Self.malformed("expected an entity's name and ';' after '&'; write '&' as &amp;")
    static let incompleteNumber = Self.malformed("expected a number and ';' after '&#'; write '&' as &amp;")
    static let endOfCharacterData = Self.malformed("']]>' must not stand in text; write '>' as &gt;")
    static let lessThanInTag = Self.malformed("'<' must not stand in a tag; write it as &lt; in an attribute's value")
}
