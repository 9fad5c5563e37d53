// Objective-C: which messages probably go to an XML node. Other libraries have `find:` and `check:`, too, and the
// linter does not know types. So the declarations of a file and the text of a receiver decide. QueryShape.swift checks
// the text of the query.

/// The names of XML nodes in an Objective-C source.
struct NodeReceivers {
    private static let classes: Set = [
        "MLXMLNode", "XMPPStanza", "XMPPIQ", "XMPPMessage", "XMPPPresence", "XMPPDataForm",
    ]

    /// The words allowed between a class and the name that it declares, besides `*`, `>`, `)` and the comma of a
    /// macro's arguments.
    private static let qualifiers: Set = [
        "_Nonnull", "_Nullable", "_Null_unspecified", "__strong", "__weak", "__block", "__unsafe_unretained", "const",
        "__nonnull", "__nullable",
    ]

    /// Only this much of the text of a longer receiver is read.
    private static let maximumReceiverBytes = 1 << 9

    /// The classes, and the names declared with one of them.
    private var names = classes
    /// Whether a class is mentioned at all.
    private var isMentioned = false
    private var previous = ""

    /// Passes a name of the source.
    ///
    /// - Parameter place: The place after it.
    mutating func pass(_ name: String, _ place: SourceCursor) {
        defer { previous = name }
        guard Self.classes.contains(name) else { return }
        isMentioned = true
        if previous == "implementation" { names.formUnion(["self", "super"]) }
        var cursor = place
        while true {
            cursor.skipSpace()
            if cursor.skip("*") || cursor.skip(">") || cursor.skip(")") || cursor.skip(",") { continue }
            guard let declared = cursor.name() else { return }
            if Self.qualifiers.contains(declared) { continue }
            cursor.skipSpace()
            // The name of a method that is not called with a dot does not name a node.
            let isSelector = cursor.current == UInt8(ascii: ":") || cursor.current == UInt8(ascii: "{")
            if !isSelector || !place.isInMethodType { names.insert(declared) }
            return
        }
    }

    /// Whether a message probably goes to a node.
    ///
    /// - Parameters:
    ///   - selector: `find`, `findFirst` or `check`. Only nodes have the second, so a file that mentions nodes means
    ///     it.
    ///   - receiver: The range of the text of the receiver.
    func isLikely(_ selector: String, to receiver: Range<Int>, in source: SourceCursor) -> Bool {
        if selector == "findFirst", isMentioned { return true }
        var cursor = source
        cursor.position = receiver.lowerBound
        cursor.end = min(receiver.upperBound, receiver.lowerBound + Self.maximumReceiverBytes)
        cursor.skipSpace()
        let isMessage = cursor.current == UInt8(ascii: "[")
        var depth = 0
        var last: String?
        while let byte = cursor.current {
            if cursor.skipComment() || cursor.literal() != nil { continue }
            if let name = cursor.name() {
                if Self.classes.contains(name) { return true }
                // An index is not the receiver.
                if depth == 0 { last = name }
                continue
            }
            if byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: "]") { depth -= 1 }
            cursor.position += 1
        }
        return !isMessage && last.map(names.contains) ?? false
    }
}

extension SourceCursor {
    /// No real type is longer.
    private static let maximumTypeBytes = 1 << 7

    /// Whether the name that ends here is part of what a method returns: `- (NSArray<XMPPIQ`.
    fileprivate var isInMethodType: Bool {
        let least = max(0, position - Self.maximumTypeBytes)
        var start = position
        while start > least, Self.isSpace(bytes[start - 1]) || Self.isOfMethodType(bytes[start - 1]) { start -= 1 }
        guard start > least, bytes[start - 1] == UInt8(ascii: "(") else { return false }
        start -= 1
        while start > least, Self.isSpace(bytes[start - 1]) { start -= 1 }
        return start > 0 && (bytes[start - 1] == UInt8(ascii: "-") || bytes[start - 1] == UInt8(ascii: "+"))
    }

    private static func isOfMethodType(_ byte: UInt8) -> Bool {
        continuesName(byte) || "<>*,".utf8.contains(byte)
    }
}
