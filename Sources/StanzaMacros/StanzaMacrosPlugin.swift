// The compiler plugin of the package: every macro's implementation, one folder for each family. The declarations are modules
// of their own, so that nobody builds swift-syntax who uses no macro.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct StanzaMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [HandlerMacro.self, HandlersMacro.self, NamedMacro.self]
}
