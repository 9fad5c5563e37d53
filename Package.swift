// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

// Products of other packages that need a trait.
extension Target.Dependency {
    static let argumentParser: Self =
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"]))

    static func sessions(_ product: String, _ package: String) -> Self {
        .product(name: product, package: package, condition: .when(traits: ["Sessions"]))
    }

    static func macros(_ product: String, _ package: String) -> Self {
        .product(name: product, package: package, condition: .when(traits: ["Macros"]))
    }

    static func playground(_ product: String, _ package: String) -> Self {
        .product(name: product, package: package, condition: .when(traits: ["Playground"]))
    }
}

// The imports of programs with sessions, and of their tests.
let modules: [Target.Dependency] = [
    "Handlers", "Locking", "Persistence", "StreamManagement", "XMLTree", "XMPPCore", "XMPPSession",
    .sessions("GRDB", "GRDB.swift"),
]
let sessions = modules + ["XMPPTransport"]
let sessionTests =
    modules + [
        "HandlerMacros", "SafeText", "SessionCore", "StanzaQueryMacros", "TestSupport", "XMPPPayloads",
        .product(name: "Logging", package: "swift-log"),
    ]

// Imports point one way only; Sources/README.md draws the map.
let package = Package(
    name: "swift-stanza",
    // One floor for all modules: see the article Platforms.
    platforms: [.macOS(.v13), .iOS(.v16), .macCatalyst(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "StanzaQuery", targets: ["StanzaQuery"]),
        .library(name: "XMLTree", targets: ["XMLTree"]),
        .library(name: "QueryTools", targets: ["QueryTools"]),
        .library(name: "QuerySyntax", targets: ["QuerySyntax"]),
        .library(name: "StanzaLint", targets: ["StanzaLint"]),
        .library(name: "DataForms", targets: ["DataForms"]),
        .library(name: "DataFormMacros", targets: ["DataFormMacros"]),
        .library(name: "Handlers", targets: ["Handlers"]),
        .library(name: "HandlerMacros", targets: ["HandlerMacros"]),
        .library(name: "Payloads", targets: ["Payloads"]),
        .library(name: "PayloadMacros", targets: ["PayloadMacros"]),
        .library(name: "XMPPPayloads", targets: ["XMPPPayloads"]),
        .library(name: "StanzaQueryMacros", targets: ["StanzaQueryMacros"]),
        .library(name: "Persistence", targets: ["Persistence"]),
        .library(name: "XMPPSession", targets: ["XMPPSession"]),
        .library(name: "XMPPCore", targets: ["XMPPCore"]),
        .library(name: "StreamManagement", targets: ["StreamManagement"]),
        .library(name: "XMPPTransport", targets: ["XMPPTransport"]),
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
    targets: [
        // These targets report a missing trait. Modules that need it depend on them, so nothing is compiled before.
        .target(name: "CommandLineTrait", path: "Sources/Traits/CommandLine"),
        .target(name: "SessionsTrait", path: "Sources/Traits/Sessions"),
        .target(name: "MacrosTrait", path: "Sources/Traits/Macros"),
        .target(name: "PlaygroundTrait", path: "Sources/Traits/Playground"),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
        .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
        .systemLibrary(name: "CResolv"),  // The system's DNS resolver.
        // The header of the C interface, which StanzaQueryC implements.
        .systemLibrary(name: "CStanzaQuery"),
        .target(name: "CAtomics"),
        .target(name: "Locking", dependencies: ["CAtomics"]),
        .target(name: "SafeText"),  // Texts from strangers, made safe for a line.
        .target(name: "TextValues"),  // Times, numbers, UUIDs and bytes as text.
        .target(name: "XMLTree", dependencies: ["SafeText"]),
        .target(name: "QuerySyntax", dependencies: ["SafeText"]),
        .target(
            name: "StanzaPatterns",
            dependencies: ["CAtomics", "Locking", .byName(name: "CPCRE2", condition: .when(traits: ["Patterns"]))]),
        // Advice on queries that are legal and probably wrong.
        .target(name: "QueryRemarks", dependencies: ["QuerySyntax", "StanzaPatterns"]),
        // The values of data forms that queries return: the engine compiles no other part of forms.
        .target(name: "FormModel", dependencies: ["XMLTree"]),
        // What all modules of a client share.
        .target(name: "XMPPCore", dependencies: ["SafeText", "TextValues", "XMLTree"]),
        .target(
            name: "DataForms", dependencies: ["FormModel", "SafeText", "StanzaPatterns", "TextValues", "XMPPCore"]),
        .target(
            name: "StreamManagement",
            dependencies: [
                "Locking", "SafeText", "XMLTree", "XMPPCore",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "XMPPTransport",
            dependencies: [
                "SessionsTrait", "CResolv", "Locking", "SafeText", "StreamManagement", "TextValues", "XMLTree",
                "XMPPCore",
                .sessions("Crypto", "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .sessions("NIOCore", "swift-nio"),
                .sessions("NIOPosix", "swift-nio"),
                .sessions("NIOSSL", "swift-nio-ssl"),
                .sessions("NIOTLS", "swift-nio"),
            ]),
        .target(
            name: "StanzaQuery",
            dependencies: [
                "CAtomics", "FormModel", "Locking", "QuerySyntax", "StanzaPatterns", "TextValues", "XMLTree",
            ]),
        // How queries run, for people: apps need none of it.
        .target(
            name: "QueryTools",
            dependencies: ["FormModel", "QuerySyntax", "SafeText", "StanzaQuery", "TextValues", "XMLTree"]),
        .target(
            name: "StanzaQueryC", dependencies: ["CStanzaQuery", "DataForms", "QuerySyntax", "SafeText", "StanzaQuery"]),
        // Structures that are elements.
        .target(
            name: "Payloads",
            dependencies: ["DataForms", "FormModel", "SafeText", "StanzaQuery", "TextValues", "XMLTree", "XMPPCore"]),
        .target(
            name: "Handlers",
            dependencies: [
                "Locking", "Payloads", "SafeText", "TextValues", "XMLTree", "XMPPCore",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // The compiler plugin of all macros. Only products that declare macros depend on it.
        .macro(
            name: "StanzaMacros",
            dependencies: [
                "MacrosTrait", "QueryRemarks", "QuerySyntax", "StanzaPatterns",
                .macros("SwiftCompilerPlugin", "swift-syntax"),
                .macros("SwiftDiagnostics", "swift-syntax"),
                .macros("SwiftParser", "swift-syntax"),
                .macros("SwiftParserDiagnostics", "swift-syntax"),
                .macros("SwiftSyntax", "swift-syntax"),
                .macros("SwiftSyntaxBuilder", "swift-syntax"),
                .macros("SwiftSyntaxMacros", "swift-syntax"),
            ]),
        .target(name: "DataFormMacros", dependencies: ["DataForms", "StanzaMacros"]),
        .target(name: "PayloadMacros", dependencies: ["Payloads", "StanzaMacros"]),
        // Structures of the XEPs, written with the macros.
        .target(name: "XMPPPayloads", dependencies: ["DataFormMacros", "PayloadMacros"]),
        .target(name: "HandlerMacros", dependencies: ["Handlers", "StanzaMacros"]),
        .target(name: "StanzaQueryMacros", dependencies: ["StanzaMacros", "StanzaQuery"]),
        .target(name: "StanzaLint", dependencies: ["QueryRemarks", "QuerySyntax", "SafeText", "StanzaQuery"]),
        .target(
            name: "StanzaCLI",
            dependencies: [
                "CommandLineTrait", "DataForms", "Locking", "QueryRemarks", "QuerySyntax", "QueryTools", "SafeText",
                "StanzaLint",
                "StanzaQuery", "TextValues", "XMLTree", .argumentParser,
            ]),
        .target(
            name: "Persistence",
            dependencies: [
                "SessionsTrait", "Handlers", "Locking", "SafeText", "StreamManagement", "XMLTree",
                "XMPPCore",
                .sessions("GRDB", "GRDB.swift"), .sessions("GRDBSQLite", "GRDB.swift"),
            ]),
        .target(
            name: "XMPPSession",
            dependencies: [
                "Handlers", "Locking", "Payloads", "Persistence", "SafeText", "SessionCore", "StanzaQuery",
                "StreamManagement", "XMLTree", "XMPPCore",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Core"]),
        .target(  // The rules of a durable session.
            name: "SessionCore", dependencies: [.product(name: "HeapModule", package: "swift-collections")],
            path: "Sources/XMPPSession/Core"),
        .target(
            name: "StanzaPlayground",
            dependencies: [
                "PlaygroundTrait", "Locking", "QueryRemarks", "QuerySyntax", "QueryTools", "StanzaCLI", "StanzaQuery",
                .playground("NIOCore", "swift-nio"),
                .playground("NIOHTTP1", "swift-nio"),
                .playground("NIOPosix", "swift-nio"),
            ],
            // A part of the program: it needs no files where it runs.
            resources: [.embedInCode("Assets")]),
        // The server's part of XEP-0198, which judges the simulated client and those of the torture kit.
        .target(name: "StreamReference", dependencies: ["XMLTree"]),
        .target(
            name: "StanzaTorture",
            dependencies: [
                "PlaygroundTrait", "SafeText", "StreamReference", "XMLTree", "XMPPTransport",
                .playground("NIOCore", "swift-nio"),
                .playground("NIOPosix", "swift-nio"),
                .playground("NIOSSL", "swift-nio-ssl"),
            ]),
        .target(
            name: "StanzaLiveCLI",
            dependencies: [
                "DataForms", "Handlers", "Locking", "Persistence", "StanzaCLI", "StanzaPlayground",
                "StanzaTorture", "StreamManagement", "XMLTree", "XMPPCore", "XMPPSession", "XMPPTransport",
                .argumentParser,
            ]),
        .executableTarget(name: "stanza-live", dependencies: ["StanzaLiveCLI"]),
        .executableTarget(name: "stanza", dependencies: ["CEdit", "StanzaCLI"]),
        .target(name: "_StanzaLimit", dependencies: ["StanzaQuery", "XMLTree"], path: "Benchmarks/Limit"),
        .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),  // How programs are started.
        // Other parsers, which ours is compared with.
        .systemLibrary(
            name: "CLibXML2", path: "Tests/CLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .systemLibrary(
            name: "CExpat", path: "Tests/CExpat", pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(
            name: "TestSupport",
            dependencies: ["CSpawn", "Locking", "XMPPCore", .product(name: "Logging", package: "swift-log")],
            path: "Tests/TestSupport"),
        // Real servers, started by the tests.
        .target(
            name: "ServerSupport", dependencies: ["Locking", "TestSupport"], path: "Tests/ServerSupport",
            exclude: ["ejabberd.yml", "prosody.cfg.lua", "prosody-modules"]),
        .testTarget(
            name: "XMPPCoreTests",
            dependencies: ["Locking", "SafeText", "TestSupport", "TextValues", "XMLTree", "XMPPCore"],
            exclude: ["Oracles"]),
        .testTarget(name: "XMLTreeTests", dependencies: ["TestSupport", "XMLTree"]),
        .testTarget(name: "XMLOracleTests", dependencies: ["CExpat", "CLibXML2", "TestSupport", "XMLTree"]),
        .testTarget(name: "QuerySyntaxTests", dependencies: ["QuerySyntax", "QueryTools", "TestSupport"]),
        .testTarget(
            name: "DataFormsTests",
            dependencies: ["DataForms", "FormModel", "Payloads", "StanzaPatterns", "TestSupport", "XMLTree", "XMPPCore"]),
        .testTarget(
            name: "StanzaQueryTests",
            dependencies: [
                "StanzaQuery", "QuerySyntax", "QueryTools", "StanzaPatterns", "TestSupport", "TextValues", "XMLTree",
            ],
            exclude: ["Prosody/prosody.lua"]),
        .testTarget(
            name: "StanzaQueryCTests", dependencies: ["CStanzaQuery", "StanzaQueryC", "TestSupport"],
            exclude: ["every.c", "example.c", "example.py"]),
        .testTarget(
            name: "HandlersTests",
            dependencies: [
                "Handlers", "Locking", "StanzaQuery", "TestSupport", "XMLTree", "XMPPCore",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Fixtures"]),
        // The macros and their declarations, in the compiler and at run time.
        .testTarget(
            name: "StanzaMacrosTests",
            dependencies: [
                "DataFormMacros", "HandlerMacros", "Handlers", "Locking", "PayloadMacros", "QuerySyntax", "StanzaQuery",
                "StanzaQueryMacros", "TestSupport", "XMLTree", "XMPPPayloads",
            ]),
        .testTarget(name: "XMPPSessionTests", dependencies: sessionTests),
        // Tests that need a server or a connector, and with it NIO and BoringSSL.
        .testTarget(
            name: "XMPPSessionServerTests",
            dependencies: sessionTests
                + ["ServerSupport", "SessionFaults", "XMPPSessionTests", "XMPPTransport", "session-faults"]),
        // The rules of a durable session, and those of stream management, in worlds that fail.
        .target(
            name: "Simulators",
            dependencies: ["SessionCore", "StreamManagement", "StreamReference", "TestSupport", "XMLTree", "XMPPCore"],
            path: "Tests/Simulators"),
        .executableTarget(
            name: "simulator", dependencies: ["Simulators", .argumentParser], path: "Tests/SimulatorCommand"),
        .testTarget(name: "SessionCoreTests", dependencies: ["SessionCore", "Simulators", "TestSupport"]),
        .executableTarget(name: "SessionBot", dependencies: sessions, path: "Tests/SessionBot"),  // A client kills it.
        .executableTarget(  // The first client of the torture kit.
            name: "EchoBot", dependencies: ["StreamManagement", "XMLTree", "XMPPCore", "XMPPTransport"],
            path: "Tests/EchoBot"),
        .target(
            name: "SessionFaults", dependencies: sessions + ["ServerSupport", "TestSupport"],
            path: "Tests/SessionFaults"),
        // Processes with a session, and the program that kills and stops them.
        .executableTarget(
            name: "session-faults",
            dependencies: sessions + ["ServerSupport", "SessionBot", "SessionFaults", "TestSupport", .argumentParser],
            path: "Tests/SessionFaultsCommand"),
        // A process that tests kill and stop.
        .executableTarget(
            name: "PersistenceProbe",
            dependencies: [
                "Handlers", "Locking", "Persistence", "StreamManagement", "XMLTree", "XMPPCore",
                .sessions("GRDB", "GRDB.swift"),
            ],
            path: "Tests/PersistenceProbe"),
        .testTarget(
            name: "PersistenceTests",
            dependencies: [
                "HandlerMacros", "Handlers", "Locking", "Persistence", "PersistenceProbe", "StanzaQuery",
                "Simulators", "StreamManagement", "TestSupport", "XMLTree", "XMPPCore", .sessions("GRDB", "GRDB.swift"),
            ]),
        .testTarget(
            name: "StreamManagementTests",
            dependencies: [
                "Locking", "Simulators", "StreamManagement", "TestSupport", "XMLTree", "XMPPCore",
            ],
            exclude: ["Support/StatesAndEvents.txt"]),
        .testTarget(
            name: "XMPPTransportTests",
            dependencies: [
                "Locking", "ServerSupport", "StanzaTorture", "StreamManagement", "TestSupport", "TextValues", "XMLTree",
                "XMPPCore", "XMPPTransport",
                .sessions("Crypto", "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .sessions("NIOCore", "swift-nio"),
                .sessions("NIOPosix", "swift-nio"),
                .sessions("NIOSSL", "swift-nio-ssl"),
                .sessions("NIOTLS", "swift-nio"),
            ]),
        .testTarget(
            name: "StanzaLiveCLITests",
            dependencies: [
                "DataForms", "Handlers", "Persistence", "ServerSupport", "StanzaCLI", "StanzaLiveCLI",
                "StanzaTorture", "TestSupport", "XMPPCore", "EchoBot", "session-faults", "simulator", "stanza-live",
            ]),
        .testTarget(
            name: "StanzaPlaygroundTests",
            dependencies: [
                "QuerySyntax", "QueryTools", "StanzaCLI", "StanzaPlayground", "StanzaQuery", "TestSupport",
            ]),
        .testTarget(
            name: "StanzaLintTests", dependencies: ["QuerySyntax", "StanzaLint", "StanzaQuery", "TestSupport"],
            exclude: ["Samples"]),
        .testTarget(
            name: "StanzaCLITests",
            dependencies: ["DataForms", "Locking", "StanzaCLI", "StanzaQuery", "TestSupport", "XMLTree", "stanza"],
            exclude: ["Logs"]),
    ],
    swiftLanguageModes: [.v6]
)

// The fuzzers are built on request only, by .ci/fuzz: libFuzzer brings the main function that they lack.
if Context.environment["STANZA_FUZZ"] != nil {
    func fuzzer(_ name: String, _ dependencies: Target.Dependency...) -> Target {
        .executableTarget(
            name: name, dependencies: ["FuzzSupport"] + dependencies, path: "Tests/Fuzzing/\(name)",
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    }
    package.targets += [
        .target(name: "FuzzSupport", path: "Tests/Fuzzing/Support"),
        fuzzer("FuzzParser", "XMLTree"),
        fuzzer("FuzzParserBlind", "XMLTree"),
        fuzzer("FuzzSerializer", "XMLTree"),
        fuzzer("FuzzCompiler", "QuerySyntax", "QueryTools", "StanzaQuery"),
        fuzzer("FuzzEvaluation", "QuerySyntax", "StanzaPatterns", "StanzaQuery"),
        fuzzer("FuzzQuerySet", "QuerySyntax", "StanzaQuery"),
        fuzzer("FuzzInterpolation", "QuerySyntax", "StanzaPatterns", "StanzaQuery"),
    ]
}

// A compiler plugin that is built already, so that `.ci/sanitize` does not build swift-syntax with each sanitizer.
if let plugin = Context.environment["STANZA_MACRO_PLUGIN"] {
    let load = SwiftSetting.unsafeFlags(["-load-plugin-executable", "\(plugin)#StanzaMacros"])
    for target in package.targets where ![.macro, .system].contains(target.type) {
        target.dependencies.removeAll { if case .byNameItem("StanzaMacros", _) = $0 { true } else { false } }
        target.swiftSettings = (target.swiftSettings ?? []) + [load]
    }
}

// Parts that build without the rest: some tests, and all that they depend on. `.ci/sanitize` builds all
// but the command. STANZA_PART names the tests of another part.
let parts = [
    "STANZA_COMMAND": "StanzaCLI",
    "STANZA_CORE":
        "DataForms QuerySyntax SessionCore StanzaQuery XMLTree XMPPCore",
    "STANZA_SURVIVING": "Handlers Persistence XMPPSession",
    "STANZA_SERVERS": "Handlers Persistence XMPPSession XMPPSessionServer",
]
let part = Context.environment["STANZA_PART"] ?? parts.first { Context.environment[$0.key] != nil }?.value
if let part {
    var kept: Set<String> = []
    func keep(_ name: String) {
        guard let target = package.targets.first(where: { $0.name == name }), kept.insert(name).inserted else { return }
        for case .byNameItem(let name, _) in target.dependencies { keep(name) }
    }
    for module in part.split(separator: " ") { keep("\(module)Tests") }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}
