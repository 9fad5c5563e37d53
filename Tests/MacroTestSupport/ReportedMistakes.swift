// What macros report of a source, as values: for tests that go through many sources.

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion

/// A diagnostic of a macro.
public struct ReportedMistake: Equatable, Sendable {
    public let message: String
    public let isWarning: Bool
    /// Where the node begins that it is about, in UTF-8 offsets of the source.
    public let place: Int
    /// What the fix-it says it does, if there is one.
    public let offer: String?
    /// What it replaces, in UTF-8 offsets of the source.
    public let change: Range<Int>?
    /// The source after it.
    public let fixed: String?
}

/// What the macros of a source report, in their order.
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

/// What the first string literal of a source stands for, as swift-syntax has it.
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
