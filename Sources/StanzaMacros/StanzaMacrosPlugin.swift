// The compiler plugin of the package. It lists all macros; the folders have those of one family each. Other modules
// declare the macros, so that a program without macros does not build swift-syntax.
//
// Only the modules that declare its macros depend on the plugin. If one test depends on it, SwiftPM builds all tests
// and their dependencies a second time. The tests of macros start its program.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct StanzaMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        DataFormMacro.self, FieldMacro.self, HandlerMacro.self, HandlersMacro.self, NamedMacro.self, QueryMacro.self,
        ElementQueryMacro.self, ExistenceQueryMacro.self, QueriesMacro.self, PayloadMacro.self, PayloadMarkMacro.self,
    ]
}
