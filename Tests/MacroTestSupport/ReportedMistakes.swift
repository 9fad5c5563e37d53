// The diagnostics of macros as values, for tests that go through many sources.

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion

/// A diagnostic of a macro.
public struct ReportedMistake: Equatable, Sendable {
    public let message: String
    public let isWarning: Bool
    /// The start of the node that it is about, as a UTF-8 offset in the source.
    public let place: Int
    /// The message of the fix-it, if one exists.
    public let offer: String?
    /// The range that the fix-it replaces, as UTF-8 offsets in the source.
    public let change: Range<Int>?
    /// The source after the fix-it.
    public let fixed: String?
}

/// Returns the diagnostics of the macros of a source, in their order.
public func reportedMistakes(in source: String) -> [ReportedMistake] {
    let context = expandMacros(in: source)
    func place(of position: AbsolutePosition, in node: Syntax) -> Int {
        context.location(for: position, anchoredAt: node, fileName: "Test.swift").offset
    }
    func place(of node: Syntax) -> Int { place(of: node.positionAfterSkippingLeadingTrivia, in: node) }
    func edit(_ change: FixIt.Change) -> (range: Range<Int>, text: String)? {
        switch change {
        case .replace(let old, let new):
            let start = place(of: old)
            return (start..<(start + old.trimmedDescription.utf8.count), new.trimmedDescription)
        case .replaceText(let range, let text, let node):
            return (place(of: range.lowerBound, in: node)..<place(of: range.upperBound, in: node), text)
        case .replaceLeadingTrivia, .replaceTrailingTrivia, .replaceChild: return nil
        }
    }
    return context.diagnostics.map { diagnostic in
        let edit = (diagnostic.fixIts.first?.changes.first).flatMap(edit)
        let fixed = edit.map { edit in
            var bytes = Array(source.utf8)
            bytes.replaceSubrange(edit.range, with: Array(edit.text.utf8))
            return String(decoding: bytes, as: UTF8.self)
        }
        return ReportedMistake(
            message: diagnostic.message, isWarning: diagnostic.diagMessage.severity == .warning,
            place: place(of: diagnostic.node), offer: diagnostic.fixIts.first?.message.message, change: edit?.range,
            fixed: fixed)
    }
}

/// Returns the value of the first string literal of a source, as swift-syntax evaluates it.
public func firstLiteral(in source: String) -> String? {
    final class Finder: SyntaxVisitor {
        var value: String?
        override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
            if value == nil { value = node.representedLiteralValue }
            return .skipChildren
        }
    }
    let finder = Finder(viewMode: .sourceAccurate)
    finder.walk(Parser.parse(source: source))
    return finder.value
}
