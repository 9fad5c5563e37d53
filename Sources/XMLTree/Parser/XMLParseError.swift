// Why the parser refuses input: the kinds of errors, their texts, and the stream errors that answer them.
//
// Tokenizer+Errors.swift reports them.

import SafeText

/// An error in the input, and its place.
public struct XMLParseError: Error, Sendable, Hashable {
    public let kind: Kind
    /// The beginning of the mistake: a character, name, attribute, reference or end tag. For a limit: the beginning of
    /// the tag, stanza or document beyond it.
    public let position: SourcePosition
    /// The element that is open there, if its end is missing.
    public let unclosed: OpenElement?
    /// The name in an end tag that closes no element.
    public let endTag: String?
    /// The markup in which the input ends.
    public let unfinished: UnfinishedMarkup?

    public init(
        _ kind: Kind, at position: SourcePosition, unclosed: OpenElement? = nil, endTag: String? = nil,
        unfinished: UnfinishedMarkup? = nil
    ) {
        self.kind = kind
        self.position = position
        self.unclosed = unclosed
        self.endTag = endTag
        self.unfinished = unfinished
    }

    /// An element whose end has not been read.
    public struct OpenElement: Sendable, Hashable {
        /// The name as written.
        public let name: String
        /// The beginning of the stanza, fragment, document or stream that contains the element.
        public let treeStart: SourcePosition
        /// The beginning of its start tag.
        public let position: SourcePosition

        public init(name: String, treeStart: SourcePosition, position: SourcePosition) {
            self.name = name
            self.treeStart = treeStart
            self.position = position
        }
    }

    /// Markup that began and did not end.
    public struct UnfinishedMarkup: Sendable, Hashable {
        public enum Kind: Sendable, Hashable {
            case tag, reference, comment, characterData, processingInstruction, documentType
        }

        public let kind: Kind
        /// The beginning of the markup.
        public let position: SourcePosition

        public init(kind: Kind, position: SourcePosition) {
            self.kind = kind
            self.position = position
        }
    }

    /// The kind of mistake.
    public enum Kind: Sendable, Hashable {
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// An encoding other than UTF-8, declared or detected.
        case unsupportedEncoding(String)
        /// A character that XML forbids, written literally.
        case forbiddenCharacter(Unicode.Scalar)
        /// `&#…;` for a character that XML forbids.
        case forbiddenReference
        /// `&name;` for anything but `amp`, `lt`, `gt`, `quot` and `apos`, declared or not.
        case entityReference(String)
        /// Markup that RFC 6120 §11.1 forbids in a stream, or that no mode supports.
        case restricted(Markup)
        /// A prefix without a declaration.
        case unboundPrefix(String)
        /// The same attribute twice in one tag, as written or by its expanded name.
        case duplicateAttribute(String)
        /// An end tag that does not fit the element that is open.
        case mismatchedEndTag
        /// Text between the stanzas of a stream, or between fragments.
        case textBetweenElements
        /// Content after the end of the stream or document.
        case contentAfterEnd
        /// The input ended inside a stream, an element, or a token.
        case unexpectedEnd
        /// No element, or several, where exactly one was requested.
        case notOneElement
        /// Input beyond a limit.
        case limit(Limit, maximum: Int)
        /// The given namespace context cannot be written as XML declarations.
        case invalidContext
        /// Well-formed XML that breaks Namespaces in XML 1.0 in another way: a reserved prefix or namespace in a
        /// declaration, or a name with misplaced colons.
        case namespaceFault(String)
        /// Anything else that is not well-formed.
        case malformed(String)
    }

    /// Markup that is well-formed but not accepted.
    public enum Markup: Sendable, Hashable {
        case comment, processingInstruction, documentType
        /// `<?xml`, except at the beginning.
        case xmlDeclaration
    }

    /// A limit of `ParserLimits`. The raw value is its property there.
    public enum Limit: String, Sendable, Hashable {
        case bytes, depth, elements, attributes, nameLength, names, declarations
        /// Bytes of a skipped stanza.
        case skippedBytes
    }

    /// A stream error of RFC 6120 §4.9.3.
    public enum StreamCondition: String, Sendable, Hashable {
        case badFormat = "bad-format"
        case notWellFormed = "not-well-formed"
        case policyViolation = "policy-violation"
        case restrictedXML = "restricted-xml"
        case unsupportedEncoding = "unsupported-encoding"
    }
}

extension XMLParseError {
    /// The stream error that answers this error, if the input is an XMPP stream.
    ///
    /// By §4.9.3.13, which cites XML-NAMES, a prefix without a declaration is not well-formed. `bad-namespace-prefix`
    /// is for prefixes that are declared, but are not the expected ones.
    public var streamCondition: StreamCondition {
        switch kind {
        case .invalidUTF8, .unsupportedEncoding: .unsupportedEncoding
        case .restricted, .entityReference: .restrictedXML
        case .limit: .policyViolation
        case .textBetweenElements, .notOneElement, .invalidContext: .badFormat
        case .forbiddenCharacter, .forbiddenReference, .unboundPrefix, .duplicateAttribute, .mismatchedEndTag,
            .contentAfterEnd, .unexpectedEnd, .namespaceFault, .malformed:
            .notWellFormed
        }
    }
}

extension XMLParseError: CustomStringConvertible {
    /// The place and the message in one line.
    public var description: String { "\(position): \(message)" }

    /// The mistake, the expected input, and a way to repair it.
    public var message: String {
        switch kind {
        case .invalidUTF8: "these bytes are not UTF-8; encode the input as UTF-8"
        case .unsupportedEncoding(let name):
            "the encoding is \(name); only UTF-8 is read, so convert the input and its declaration"
        case .forbiddenCharacter(let scalar):
            "XML forbids the character \(scalar.codePoint); remove it"
                + (scalar == "\0" && position.offset <= 1 ? ", or convert UTF-16 to UTF-8" : "")
        case .forbiddenReference: "this reference is to a character that XML forbids; remove it"
        case .entityReference(let name):
            "the entity '\(name)' is not known, as no document type is read; "
                + "only &amp; &lt; &gt; &quot; &apos; and references like &#x20; are"
        case .restricted(let markup): markup.message
        case .unboundPrefix("xmlns"): "the prefix 'xmlns' is only for declarations; use another prefix"
        case .unboundPrefix(let prefix):
            "the prefix '\(prefix)' is not declared; declare it with xmlns:\(prefix)='…' here or around this"
        case .duplicateAttribute(let name): "the attribute '\(name)' occurs twice in this tag; remove one"
        case .mismatchedEndTag: mismatch
        case .textBetweenElements:
            "expected an element or white space here, not text; text belongs inside an element"
        case .contentAfterEnd: "expected nothing more after the end of the root element"
        case .unexpectedEnd: earlyEnd
        case .notOneElement: "expected exactly one element"
        case .limit(let limit, let maximum):
            "\(limit.message(maximum)); raise `\(limit.rawValue)` in ParserLimits if that is wanted"
        case .invalidContext:
            "the namespace context cannot be declared in XML: a prefix is not a name, or a namespace is empty, reserved or "
                + "has characters that XML forbids"
        case .namespaceFault(let reason): "not namespace-well-formed: \(reason)"
        case .malformed(let reason): "not well-formed: \(reason)"
        }
    }

    /// The message for users of other languages or of the playground, which cannot set limits.
    package var messageWithoutSettings: String {
        guard case .limit(let limit, let maximum) = kind else { return message }
        return "\(limit.message(maximum)), which is the limit"
    }

    private var mismatch: String {
        let tag = endTag.map { "</\($0)>" } ?? "this end tag"
        guard let unclosed else { return "\(tag) closes nothing, as no element is open; remove it" }
        return "\(tag) does not close the element that is open; expected \(unclosed.end)"
    }

    private var earlyEnd: String {
        let place = unfinished.map { "in the \($0.summary)" }
        if let unclosed { return "the input ends \(place ?? "too early"); expected \(unclosed.end)" }
        return "the input ends \(place ?? "before a root element; expected its start tag")"
    }
}

extension XMLParseError.OpenElement {
    fileprivate var end: String {
        "</\(name)>, the end of what begins at line \(position.line), column \(position.column)"
    }
}

extension XMLParseError.UnfinishedMarkup {
    fileprivate var summary: String {
        let (name, end) = kind.words
        return "\(name) that begins at line \(position.line), column \(position.column), before '\(end)'"
    }
}

extension XMLParseError.UnfinishedMarkup.Kind {
    fileprivate var words: (name: String, end: String) {
        switch self {
        case .tag: ("tag", ">")
        case .reference: ("reference", ";")
        case .comment: ("comment", "-->")
        case .characterData: ("CDATA section", "]]>")
        case .processingInstruction: ("processing instruction", "?>")
        case .documentType: ("document type declaration", ">")
        }
    }
}

extension XMLParseError.Markup {
    fileprivate var message: String {
        switch self {
        case .comment: "comments are not allowed in a stream; remove it"
        case .xmlDeclaration: "an XML declaration may occur at the beginning only; remove it"
        case .processingInstruction: "processing instructions are not allowed in a stream; remove it"
        case .documentType: "a document type declaration is not allowed here; remove it"
        }
    }
}

extension XMLParseError.Limit {
    fileprivate func message(_ maximum: Int) -> String {
        switch self {
        case .bytes: "this has more than \(maximum) bytes"
        case .depth: "elements are nested more than \(maximum) deep"
        case .elements: "a tree has more than \(maximum) elements here"
        case .attributes: "this tag has more than \(maximum) attributes"
        case .nameLength: "a name or namespace of this tag has more than \(maximum) bytes"
        case .names: "there are more than \(maximum) different names"
        case .declarations: "more than \(maximum) namespace declarations are in scope"
        case .skippedBytes: "this has more than \(maximum) bytes, too many to skip"
        }
    }
}

// MARK: Messages of the tokenizer

extension XMLParseError {
    /// The expected input where other input was found, and the message.
    enum Expectation: String {
        case name = "expected a name here; write '<' in text as &lt;"
        case whiteSpace = "expected white space here"
        case attributeOrEnd = "expected '>' or an attribute here"
        case equalsSign = "expected '=' and the attribute's value here"
        case quotedValue = "expected an attribute's value in quotes here"
        case endOfEndTag = "expected '>' here"
        case version = "expected version='1.0' here"
        case declarationEnd = "expected '?>' here"
    }
}

extension XMLParseError.Kind {
    static let incompleteReference = Self.malformed("expected an entity's name and ';' after '&'; write '&' as &amp;")
    static let incompleteNumber = Self.malformed("expected a number and ';' after '&#'; write '&' as &amp;")
    static let endOfCharacterData = Self.malformed("']]>' must not occur in text; write '>' as &gt;")
    static let lessThanInTag = Self.malformed("'<' must not occur in a tag; write it as &lt; in an attribute's value")
    static let missingTagEnd = Self.malformed(XMLParseError.Expectation.endOfEndTag.rawValue)
    static let hyphensInComment = Self.malformed("'--' must not occur in a comment")
    static let missingRoot = Self.malformed("expected '<', the beginning of a document or stream")
    static let stanzaAfterDeclaration = Self.malformed(
        "expected the start tag of a stream here: the declaration or byte order mark before it ends the open stream")
    static let misplacedColon = Self.namespaceFault(
        "a name has at most one colon, between a prefix and a local name; rename the element or attribute")
    static let otherMarkup = Self.malformed(
        "'<!' must begin a comment or a CDATA section here; write '<' as &lt;")
}
