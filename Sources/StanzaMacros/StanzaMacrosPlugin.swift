// The compiler plugin of the package: every macro's name, one folder of StanzaMacroExpansions for each family. The
// declarations are modules of their own, so that nobody builds swift-syntax who uses no macro.
//
// It holds no code, as nothing but the compiler should depend on a plugin: SwiftPM builds all tests, and what they
// need, a second time if one of them does.

import StanzaMacroExpansions
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct StanzaMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        DataFormMacro.self, FieldMacro.self, HandlerMacro.self, HandlersMacro.self, NamedMacro.self, QueryMacro.self,
        ElementQueryMacro.self, QueriesMacro.self,
    ]
}

enum DataFormMacro: DataFormExpanding {}

enum FieldMacro: FieldExpanding {}

enum HandlerMacro: HandlerExpanding {}

enum HandlersMacro: HandlersExpanding {}

enum NamedMacro: NamedExpanding {}

enum QueryMacro: QueryExpanding {}

enum ElementQueryMacro: ElementQueryExpanding {}

enum QueriesMacro: QueriesExpanding {}
