// The compiler plugin of the package. It lists the name of every macro; StanzaMacroExpansions has a folder for each
// family. The declarations are separate modules, so that a program without macros does not build swift-syntax.
//
// The plugin has no code of its own, because only the compiler should depend on a plugin: if one test depends on it,
// SwiftPM builds all tests and their dependencies a second time.

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
