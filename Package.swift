// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

// Lists of dependencies, by their names.
let stored = "Handlers Locking Persistence StreamManagement XMLTree XMPPCore"
let sessions = stored + " GRDB XMPPSession"
let sessionTests = sessions + " HandlerMacros Logging SafeText SessionCore StanzaQueryMacros XMPPPayloads"
let clients = sessions + " XMPPTransport"
let macros = "DataFormMacros HandlerMacros PayloadMacros StanzaQueryMacros"
let queries = "QueryRemarks QuerySyntax QueryTools StanzaQuery"
let syntax =
    "SwiftCompilerPlugin SwiftDiagnostics SwiftParser SwiftParserDiagnostics SwiftSyntax SwiftSyntaxBuilder SwiftSyntaxMacros"
let transport = "Crypto Locking Logging NIOCore NIOPosix NIOSSL NIOTLS StreamManagement TextValues XMLTree XMPPCore"

// The dependencies that are products of other packages, and those that need a trait.
let special: [(names: String, package: String?, trait: String?)] = [
    ("ArgumentParser", "swift-argument-parser", "CommandLine"), ("CPCRE2", nil, "Patterns"),
    ("Crypto", "swift-crypto", "Sessions"), ("DequeModule HeapModule", "swift-collections", nil),
    ("GRDB GRDBSQLite", "GRDB.swift", "Sessions"), ("Logging", "swift-log", nil),
    ("NIOCore NIOPosix NIOTLS", "swift-nio", "Sessions"), ("NIOHTTP1", "swift-nio", "Playground"),
    ("NIOSSL", "swift-nio-ssl", "Sessions"), (syntax, "swift-syntax", "Macros"),
]

func named(_ names: String) -> [Target.Dependency] {
    names.split(separator: " ").map { name in
        let (_, package, trait) = special.first { $0.names.split(separator: " ").contains(name) } ?? ("", nil, nil)
        let condition = trait.flatMap { TargetDependencyCondition.when(traits: [$0]) }
        guard let package else { return .byName(name: String(name), condition: condition) }
        return .product(name: String(name), package: package, condition: condition)
    }
}

extension Target {
    static func module(
        _ name: String, _ dependencies: String = "", in folder: String = "Sources", exclude: [String] = []
    ) -> Target {
        .target(name: name, dependencies: named(dependencies), path: "\(folder)/\(name)", exclude: exclude)
    }

    static func program(_ name: String, _ dependencies: String, in folder: String = "Sources") -> Target {
        .executableTarget(name: name, dependencies: named(dependencies), path: "\(folder)/\(name)")
    }

    static func tests(_ name: String, _ dependencies: String, exclude: [String] = []) -> Target {
        .testTarget(name: name, dependencies: named("TestSupport " + dependencies), exclude: exclude)
    }
}

let libraries = """
    DataFormMacros DataForms HandlerMacros Handlers PayloadMacros Payloads Persistence QuerySyntax QueryTools \
    StanzaLint StanzaQuery StanzaQueryMacros StreamManagement XMLTree XMPPCore XMPPPayloads XMPPSession XMPPTransport
    """.split(separator: " ").map(String.init)

let package = Package(
    name: "swift-stanza",
    // One floor for all modules: see the article Platforms.
    platforms: [.macOS(.v13), .iOS(.v16), .macCatalyst(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: libraries.map { .library(name: $0, targets: [$0]) } + [
        // For other languages, with Sources/CStanzaQuery/stanza_query.h.
        .library(name: "stanzaquery", type: .dynamic, targets: ["StanzaQueryC"]),
        .executable(name: "stanza", targets: ["stanza"]),
        .executable(name: "stanza-live", targets: ["stanza-live"]),
        // For Benchmarks; its Package.swift explains why.
        .library(name: "_StanzaCLI", targets: ["StanzaCLI"]),
        .library(name: "_StanzaLimit", targets: ["_StanzaLimit"]),
    ],
    // An app that needs only queries disables all traits: it fetches none of their packages, and is small.
    traits: [
        .default(enabledTraits: ["CommandLine", "Foundation", "Macros", "Patterns", "Playground", "Sessions"]),
        // SwiftPM builds the plugins of swift-argument-parser for each program that fetches it.
        .trait(name: "CommandLine", description: "The command stanza."),
        .trait(name: "Foundation", description: "Data and URL in queries, and localizedDescription of errors."),
        .trait(
            name: "Sessions", description: "Persistence, XMPPTransport, XMPPSession: SQLite, TCP and TLS.",
            enabledTraits: ["Foundation"]),
        .trait(name: "Patterns", description: "Regular expressions: PCRE2."),
        .trait(name: "Macros", description: "Queries, forms and handlers that are checked when they are compiled."),
        .trait(
            name: "Playground", description: "The command stanza-live, with its web page.",
            enabledTraits: ["CommandLine", "Sessions"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.0.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.5.0"),
    ],
    swiftLanguageModes: [.v6]
)

// Imports point one way only; Sources/README.md draws the map.
package.targets = [
    // These targets report a missing trait. Modules that need it depend on them, so nothing is compiled before.
    .module("CommandLineTrait", in: "Sources/Traits"), .module("MacrosTrait", in: "Sources/Traits"),
    .module("PlaygroundTrait", in: "Sources/Traits"), .module("SessionsTrait", in: "Sources/Traits"),
    .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
    .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
    .systemLibrary(name: "CResolv"), .systemLibrary(name: "CStanzaQuery"),
    .module("CAtomics"), .module("Locking", "CAtomics"), .module("SafeText"), .module("TextValues"),
    .module("XMLTree", "SafeText"), .module("QuerySyntax", "SafeText"),
    .module("XMPPCore", "SafeText TextValues XMLTree"),
    .module("StanzaPatterns", "CAtomics CPCRE2 Locking"), .module("QueryRemarks", "QuerySyntax StanzaPatterns"),
    // The values of data forms that queries return: the engine compiles no other part of forms.
    .module("FormModel", "XMLTree"),
    .module("DataForms", "FormModel SafeText StanzaPatterns TextValues XMPPCore"),
    .module("StreamManagement", "DequeModule Locking Logging SafeText XMLTree XMPPCore"),
    .module("XMPPTransport", "\(transport) SessionsTrait CResolv SafeText"),
    .module("StanzaQuery", "CAtomics FormModel Locking QuerySyntax StanzaPatterns TextValues XMLTree"),
    .module("QueryTools", "FormModel QuerySyntax SafeText StanzaQuery TextValues XMLTree"),
    .module("StanzaQueryC", "CStanzaQuery DataForms QuerySyntax SafeText StanzaQuery"),
    .module("Payloads", "DataForms FormModel SafeText StanzaQuery TextValues XMLTree XMPPCore"),
    .module("Handlers", "Locking Logging Payloads SafeText XMLTree XMPPCore"),
    // The compiler plugin of all macros. Only products that declare macros depend on it.
    .macro(name: "StanzaMacros", dependencies: named("\(syntax) MacrosTrait QueryRemarks QuerySyntax StanzaPatterns")),
    .module("DataFormMacros", "DataForms StanzaMacros"), .module("HandlerMacros", "Handlers StanzaMacros"),
    .module("PayloadMacros", "Payloads StanzaMacros"), .module("StanzaQueryMacros", "StanzaMacros StanzaQuery"),
    .module("XMPPPayloads", "DataFormMacros PayloadMacros"),
    .module("StanzaLint", "QueryRemarks QuerySyntax SafeText StanzaQuery"),
    .module(
        "StanzaCLI",
        "\(queries) CommandLineTrait ArgumentParser DataForms Locking SafeText StanzaLint TextValues XMLTree"),
    .module("Persistence", "SessionsTrait GRDB GRDBSQLite Handlers Locking SafeText StreamManagement XMLTree XMPPCore"),
    .target(name: "SessionCore", dependencies: named("HeapModule"), path: "Sources/XMPPSession/Core"),
    .module("XMPPSession", "\(stored) Logging Payloads SafeText SessionCore StanzaQuery", exclude: ["Core"]),
    .target(
        name: "StanzaPlayground",
        dependencies: named("\(queries) PlaygroundTrait Locking NIOCore NIOHTTP1 NIOPosix StanzaCLI"),
        // A part of the program: it needs no files where it runs.
        resources: [.embedInCode("Assets")]),
    .module("StanzaTorture", "PlaygroundTrait NIOCore NIOPosix NIOSSL SafeText StreamReference XMLTree XMPPTransport"),
    .module(
        "StanzaLiveCLI",
        "\(stored) ArgumentParser DataForms StanzaCLI StanzaPlayground StanzaTorture XMPPSession XMPPTransport"),
    .program("stanza", "CEdit StanzaCLI"), .program("stanza-live", "StanzaLiveCLI"),
    .module("StreamReference", "XMLTree"), .module("_StanzaLimit", "StanzaQuery XMLTree", in: "Benchmarks"),
    .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
    .systemLibrary(
        name: "CLibXML2", path: "Tests/CLibXML2", pkgConfig: "libxml-2.0",
        providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
    .systemLibrary(
        name: "CExpat", path: "Tests/CExpat", pkgConfig: "expat",
        providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    .module("TestSupport", "CSpawn Locking Logging XMPPCore", in: "Tests"),
    .module(
        "ServerSupport", "Locking TestSupport", in: "Tests",
        exclude: ["ejabberd.yml", "prosody.cfg.lua", "prosody-modules"]),
    .module("Simulators", "SessionCore StreamManagement StreamReference TestSupport XMLTree XMPPCore", in: "Tests"),
    .program("simulator", "ArgumentParser Simulators", in: "Tests"),
    .program("PersistenceProbe", "\(stored) GRDB", in: "Tests"), .program("SessionBot", clients, in: "Tests"),
    .module("SessionFaults", "\(clients) ServerSupport TestSupport", in: "Tests"),
    .program(
        "session-faults", "\(clients) ArgumentParser ServerSupport SessionBot SessionFaults TestSupport", in: "Tests"),
    .program("EchoBot", "StreamManagement XMLTree XMPPCore XMPPTransport", in: "Tests"),
    .tests("XMPPCoreTests", "Locking SafeText TextValues XMLTree XMPPCore", exclude: ["Oracles"]),
    .tests("XMLTreeTests", "XMLTree"), .tests("XMLOracleTests", "CExpat CLibXML2 XMLTree"),
    .tests("QuerySyntaxTests", "QuerySyntax QueryTools"), .tests("SessionCoreTests", "SessionCore Simulators"),
    .tests("DataFormsTests", "DataForms FormModel Payloads StanzaPatterns XMLTree XMPPCore"),
    .tests(
        "StanzaQueryTests", "QuerySyntax QueryTools StanzaPatterns StanzaQuery TextValues XMLTree",
        exclude: ["Prosody/prosody.lua"]),
    .tests("StanzaQueryCTests", "CStanzaQuery StanzaQueryC", exclude: ["every.c", "example.c", "example.py"]),
    .tests("HandlersTests", "Handlers Locking Logging StanzaQuery XMLTree XMPPCore", exclude: ["Fixtures"]),
    .tests("StanzaMacrosTests", "\(macros) Handlers Locking QuerySyntax StanzaQuery XMLTree XMPPPayloads"),
    .tests(
        "StreamManagementTests", "Locking Simulators StreamManagement XMLTree XMPPCore",
        exclude: ["Support/StatesAndEvents.txt"]),
    .tests("PersistenceTests", "\(stored) GRDB HandlerMacros PersistenceProbe Simulators StanzaQuery"),
    .tests("XMPPSessionTests", sessionTests),
    // Tests that need a server or a connector, and with it NIO and BoringSSL.
    .tests(
        "XMPPSessionServerTests",
        "\(sessionTests) ServerSupport SessionFaults XMPPSessionTests XMPPTransport session-faults"),
    .tests("XMPPTransportTests", "\(transport) ServerSupport StanzaTorture XMPPTransport"),
    .tests("StanzaLintTests", "QuerySyntax StanzaLint StanzaQuery", exclude: ["Samples"]),
    .tests("StanzaCLITests", "DataForms Locking StanzaCLI StanzaQuery XMLTree stanza", exclude: ["Logs"]),
    .tests("StanzaPlaygroundTests", "QuerySyntax QueryTools StanzaCLI StanzaPlayground StanzaQuery"),
    .tests(
        "StanzaLiveCLITests",
        "DataForms EchoBot Handlers Persistence ServerSupport StanzaCLI StanzaLiveCLI XMPPCore session-faults simulator "
            + "stanza-live"),
]

// The fuzzers are built on request only, by .ci/fuzz: libFuzzer brings the main function that they lack.
if Context.environment["STANZA_FUZZ"] != nil {
    package.targets.append(.target(name: "FuzzSupport", path: "Tests/Fuzzing/Support"))
    let ofParser = ["Parser", "ParserBlind", "Serializer"]
    for name in ofParser + ["Compiler", "Evaluation", "QuerySet", "Interpolation"] {
        let modules = ofParser.contains(name) ? "XMLTree" : "QuerySyntax QueryTools StanzaPatterns StanzaQuery"
        let fuzzer = Target.program("Fuzz\(name)", "FuzzSupport \(modules)", in: "Tests/Fuzzing")
        fuzzer.swiftSettings = [.unsafeFlags(["-parse-as-library"])]
        package.targets.append(fuzzer)
    }
}

// A compiler plugin that is built already, so that `.ci/sanitize` does not build swift-syntax with each sanitizer.
if let plugin = Context.environment["STANZA_MACRO_PLUGIN"] {
    for target in package.targets where ![.macro, .system].contains(target.type) {
        target.dependencies.removeAll { if case .byNameItem("StanzaMacros", _) = $0 { true } else { false } }
        let load = SwiftSetting.unsafeFlags(["-load-plugin-executable", "\(plugin)#StanzaMacros"])
        target.swiftSettings = (target.swiftSettings ?? []) + [load]
    }
}

// Parts that build without the rest: some tests, and all that they depend on. `.ci/sanitize` builds all but the
// command. STANZA_PART names the tests of another part.
let parts = [
    "STANZA_COMMAND": "StanzaCLI", "STANZA_SURVIVING": "Handlers Persistence XMPPSession",
    "STANZA_CORE": "DataForms QuerySyntax SessionCore StanzaQuery XMLTree XMPPCore",
    "STANZA_SERVERS": "Handlers Persistence XMPPSession XMPPSessionServer",
]
if let part = Context.environment["STANZA_PART"] ?? parts.first(where: { Context.environment[$0.key] != nil })?.value {
    var kept: Set<String> = []
    func keep(_ name: String) {
        guard let target = package.targets.first(where: { $0.name == name }), kept.insert(name).inserted else { return }
        for case .byNameItem(let name, _) in target.dependencies { keep(name) }
    }
    for module in part.split(separator: " ") {
        keep("\(module)Tests")
        if !kept.contains("\(module)Tests") { fatalError("no tests are called \(module)Tests") }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}
