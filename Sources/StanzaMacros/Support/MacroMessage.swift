// A mistake in the use of a macro: the compiler's message, its place, and the repair.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The text of a diagnostic, and the stable name of its kind.
struct MacroMessage: DiagnosticMessage, FixItMessage {
    let message: String
    let id: String
    var severity: DiagnosticSeverity = .error

    var diagnosticID: MessageID { MessageID(domain: "StanzaMacros", id: id) }

    var fixItID: MessageID { diagnosticID }
}

extension MacroExpansionContext {
    /// Reports a mistake at a node.
    func report(_ id: String, _ message: String, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
        diagnose(Diagnostic(node: node, message: MacroMessage(message: message, id: id), fixIts: fixIts))
    }

    /// Reports a probable mistake.
    func warn(_ id: String, _ message: String, at node: some SyntaxProtocol) {
        diagnose(Diagnostic(node: node, message: MacroMessage(message: message, id: id, severity: .warning)))
    }
}
