// A string literal as the compiler reads it: the query's text with a slot for each interpolation, and where in the
// source each of its bytes comes from. It knows escapes, raw strings and literals of several lines, but not the query
// language.

import QuerySyntax
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A literal with its interpolations.
struct QueryLiteral {
    /// A part of the literal: text, or an interpolation.
    private struct Part {
        let node: Syntax
        /// The bytes of the query that come from it.
        let range: QuerySyntax.SourceRange
        /// For text: where each of these bytes begins, in UTF-8 offsets of the segment, and where the segment ends.
        let origins: [Int]
    }

    /// An interpolated value.
    struct Value {
        let expression: ExprSyntax
        /// The text to use if the value is missing.
        let fallback: ExprSyntax?

        /// `nil` for an expression that no interpolation of a query takes.
        init?(_ arguments: LabeledExprListSyntax) {
            guard let value = arguments.first, value.label == nil else { return nil }
            expression = value.expression
            let others = arguments.dropFirst()
            guard others.count <= 1, others.allSatisfy({ $0.label?.text == "default" }) else { return nil }
            fallback = others.first?.expression
        }
    }

    /// The query's text; slots have the names of the interpolated expressions.
    private(set) var text = QueryText()
    private(set) var values: [Value] = []
    /// The text, cut at every slot.
    private(set) var pieces = [""]
    private var parts: [Part] = []
    private let pounds: Int

    /// Why a literal cannot be read as a query.
    struct Fault: Error {
        /// Empty if the compiler reports the mistake itself.
        let message: String
        let node: Syntax
    }

    init(_ literal: StringLiteralExprSyntax) throws(Fault) {
        pounds = literal.openingPounds?.text.utf8.count ?? 0
        for segment in literal.segments {
            let start = text.source.utf8.count
            switch segment {
            case .stringSegment(let segment):
                guard let (bytes, origins) = Self.unescape(Array(segment.content.text.utf8), pounds: pounds) else {
                    throw Fault(message: "", node: Syntax(segment))
                }
                let piece = String(decoding: bytes, as: UTF8.self)
                text.append(piece)
                pieces[pieces.count - 1] += piece
                parts.append(Part(node: Syntax(segment), range: start..<text.source.utf8.count, origins: origins))
            case .expressionSegment(let segment):
                guard let value = Value(segment.expressions) else {
                    throw Fault(
                        message: "expected one value, and no other label than 'default'", node: Syntax(segment))
                }
                text.appendSlot(named: Self.name(of: value.expression))
                values.append(value)
                pieces.append("")
                parts.append(Part(node: Syntax(segment), range: start..<text.source.utf8.count, origins: []))
            }
        }
    }

    /// One literal of all pieces, as `_CheckedQuery.cached` takes it: the places of the slots in bytes, and the text.
    var encoded: String {
        var places: [String] = []
        var text = ""
        for piece in pieces.dropLast() {
            text += piece
            places.append(String(text.utf8.count))
        }
        return StringLiteralExprSyntax(content: places.joined(separator: " ") + ":" + text + (pieces.last ?? ""))
            .description
    }

    /// The part of the literal that contains a place of the query.
    func node(at offset: Int) -> Syntax? {
        (parts.first { $0.range.contains(offset) } ?? parts.last { $0.range.lowerBound <= offset })?.node
    }

    /// A change of the query as a change of the source; `nil` if it goes beyond one segment. It replaces the same text
    /// as the fix; with a swift-syntax that cannot change a part of a node, the segment.
    func change(for fix: QuerySyntax.Diagnostic.Fix) -> FixIt.Change? {
        for part in parts {
            guard part.range.lowerBound <= fix.range.lowerBound, fix.range.upperBound <= part.range.upperBound,
                let segment = part.node.as(StringSegmentSyntax.self)
            else { continue }
            let start = part.origins[fix.range.lowerBound - part.range.lowerBound]
            let end = part.origins[fix.range.upperBound - part.range.lowerBound]
            let replacement = escape(fix.replacement)
            #if canImport(SwiftSyntax602)
            let text = segment.content.positionAfterSkippingLeadingTrivia
            return .replaceText(
                range: text.advanced(by: start)..<text.advanced(by: end), with: replacement, in: Syntax(segment))
            #else
            let bytes = Array(segment.content.text.utf8)
            let changed = Array(bytes[..<start]) + Array(replacement.utf8) + Array(bytes[end...])
            var new = segment
            new.content.tokenKind = .stringSegment(String(decoding: changed, as: UTF8.self))
            return .replace(oldNode: Syntax(segment), newNode: Syntax(new))
            #endif
        }
        return nil
    }

    // MARK: Escapes

    /// The bytes of a segment, and the origin of each; `nil` for an invalid escape.
    private static func unescape(_ source: [UInt8], pounds: Int) -> (bytes: [UInt8], origins: [Int])? {
        var bytes: [UInt8] = []
        var origins: [Int] = []
        var position = 0
        while position < source.count {
            let start = position
            let new: [UInt8]
            let marker = source[position...].prefix(1 + pounds)
            if marker.first == UInt8(ascii: "\\"), marker.count == 1 + pounds,
                marker.dropFirst().allSatisfy({ $0 == UInt8(ascii: "#") })
            {
                position += marker.count
                guard let escaped = unescape(source, &position) else { return nil }
                new = escaped
            } else if source[position] == UInt8(ascii: "\r") {
                // A line break of the source is a line feed, however it is written.
                position += source[position...].starts(with: [0x0D, 0x0A]) ? 2 : 1
                new = [0x0A]
            } else {
                new = [source[position]]
                position += 1
            }
            bytes += new
            origins += repeatElement(start, count: new.count)
        }
        return (bytes, origins + [source.count])
    }

    /// The text after the marker of an escape.
    private static func unescape(_ source: [UInt8], _ position: inout Int) -> [UInt8]? {
        guard position < source.count else { return nil }
        defer { position += 1 }
        switch source[position] {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "0"): return [0]
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): return [source[position]]
        case UInt8(ascii: "u"):
            guard let end = source[position...].firstIndex(of: UInt8(ascii: "}")), position + 2 <= end else {
                return nil
            }
            let digits = String(decoding: source[(position + 2)..<end], as: UTF8.self)
            guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else { return nil }
            position = end
            return Array(String(scalar).utf8)
        default: return nil
        }
    }

    private func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar == "\\" && pounds == 0 || scalar == "\"" {
                escaped += "\\" + String(repeating: "#", count: pounds)
            }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    /// The name of an interpolation in messages: the expression if it is short.
    private static func name(of value: ExprSyntax) -> String {
        let text = value.trimmedDescription
        return text.utf8.count <= 40 && !text.contains { $0.isNewline } ? text : "…"
    }
}
