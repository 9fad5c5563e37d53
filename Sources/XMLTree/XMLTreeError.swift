// Errors of building and editing a tree: invalid names and characters, unbound prefixes.
//
// XMLCharacters.swift makes the checks. The parser has its own error type.

import SafeText

/// Why an element, attribute or text was refused.
public struct XMLTreeError: Error, Hashable, Sendable {
    /// The kind of error.
    public enum Kind: Hashable, Sendable {
        /// A name is empty, or has a character that is not allowed there.
        case invalidName
        /// A character that XML 1.0 forbids even when escaped.
        case forbiddenCharacter
        /// `xmlns` is not an attribute: use `setNamespace(_:)` or `declarePrefix(_:as:)`.
        case declarationAsAttribute
        /// A prefix that is not bound here.
        case unknownPrefix
        /// XML itself binds `xml` and `xmlns`. No other prefix can have their namespaces.
        case reservedBinding
        /// The same attribute twice.
        case duplicateAttribute
    }

    public let kind: Kind
    /// The refused name, value or text.
    public let subject: String
    /// The place in the subject, as an offset in UTF-8.
    public let offset: Int

    init(_ kind: Kind, in subject: String, at offset: Int = 0) {
        self.kind = kind
        self.subject = subject
        self.offset = offset
    }

    /// Throws for a text with a character that XML forbids, even escaped. Elements replace these characters
    /// (`MutableElement.text`): call this function to refuse them instead.
    public static func check(text: String) throws(XMLTreeError) {
        if let offset = text.withBytes(XMLCharacters.firstForbidden) {
            throw XMLTreeError(.forbiddenCharacter, in: text, at: offset)
        }
    }

    /// Ends the program: the source code has this mistake.
    func stop() -> Never { fatalError(description) }

    /// Returns the result, or ends the program with the error.
    @inline(__always)
    static func unlessMistaken<Result>(_ body: () throws(XMLTreeError) -> Result) -> Result {
        do throws(XMLTreeError) { return try body() } catch { error.stop() }
    }
}

extension XMLTreeError: CustomStringConvertible {
    public var description: String {
        switch kind {
        case .invalidName where subject.isEmpty:
            "a name is empty: expected a letter or '_', then letters, digits, '-', '_' or '.'"
        case .invalidName:
            """
            '\(shownSubject)' is not an XML name: unexpected \(culprit) at byte \(offset); expected a letter or '_', \
            then letters, digits, '-', '_' or '.', with at most one prefix before ':'
            """
        case .forbiddenCharacter:
            "XML cannot hold \(culprit) at byte \(offset), even escaped: remove it, or encode the value (as base64, say)"
        case .declarationAsAttribute:
            "'\(shownSubject)' is not an attribute: use setNamespace(_:) for the namespace, declarePrefix(_:as:) for a prefix"
        case .unknownPrefix:
            "the prefix of '\(shownSubject)' is not bound here: declare it with declarePrefix(_:as:), or write '{namespace}name'"
        case .reservedBinding:
            "'\(shownSubject)' cannot be bound: XML reserves 'xml' and 'xmlns' and their namespaces"
        case .duplicateAttribute: "the attribute '\(shownSubject)' is given twice: leave one out"
        }
    }

    /// The subject, spelled so that it fits into one line.
    private var shownSubject: String { subject.spelled(.backslashes) }

    /// The character at the offset, in words.
    private var culprit: String {
        let utf8 = subject.utf8
        let index = utf8.index(utf8.startIndex, offsetBy: offset, limitedBy: utf8.endIndex) ?? utf8.endIndex
        guard index < utf8.endIndex else { return "end" }
        let scalar = subject.unicodeScalars[index]
        return scalar.isUnsafeToShow ? scalar.codePoint : "'\(scalar)' (\(scalar.codePoint))"
    }
}
