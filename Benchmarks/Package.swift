// swift-tools-version: 6.1
import PackageDescription

// The benchmarks are a package of their own, so that packages that depend on swift-stanza get neither them nor their
// peers. README.md documents how they measure.
let package = Package(
    name: "stanza-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-stanza", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.5.0"),
        .package(url: "https://github.com/CoreOffice/XMLCoder", exact: "0.18.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibXML2Headers", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .target(
            name: "CLibXML2Peer", dependencies: ["CLibXML2Headers"], cSettings: [.define("NDEBUG")],
            linkerSettings: [.linkedLibrary("xml2")]),
        .target(name: "CExpatPeer", linkerSettings: [.linkedLibrary("expat")]),
        .target(
            name: "CPugiXMLPeer", cxxSettings: [.define("NDEBUG")], linkerSettings: [.linkedLibrary(":libpugixml.a")]),
        .target(name: "CCounters"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CCounters", "CExpatPeer", "CLibXML2Peer", "CPugiXMLPeer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "DataForms", package: "swift-stanza"),
                .product(name: "StanzaQuery", package: "swift-stanza"),
                .product(name: "_StanzaCLI", package: "swift-stanza"),
                .product(name: "_StanzaLimit", package: "swift-stanza"),
            ]),
        .executableTarget(
            name: "handlers-benchmarks",
            dependencies: [
                .product(name: "Handlers", package: "swift-stanza"),
                .product(name: "XMLTree", package: "swift-stanza"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(
            name: "payload-benchmarks",
            dependencies: [
                "CCounters", "XMLCoder",
                .product(name: "PayloadMacros", package: "swift-stanza"),
                .product(name: "StanzaQuery", package: "swift-stanza"),
                .product(name: "XMLTree", package: "swift-stanza"),
            ]),
        .executableTarget(
            name: "persistence-benchmarks",
            dependencies: [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Persistence", package: "swift-stanza"),
                .product(name: "Promises", package: "swift-stanza"),
            ]),
        .executableTarget(
            name: "stream-management-benchmarks",
            dependencies: [
                "CCounters",
                .product(name: "Persistence", package: "swift-stanza"),
                .product(name: "StreamManagement", package: "swift-stanza"),
                .product(name: "XMLTree", package: "swift-stanza"),
            ]),
        .executableTarget(
            name: "session-check", dependencies: [.product(name: "XMPPSession", package: "swift-stanza")]),
        .executableTarget(
            name: "session-benchmarks",
            dependencies: [
                "CCounters",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Handlers", package: "swift-stanza"),
                .product(name: "Persistence", package: "swift-stanza"),
                .product(name: "StreamManagement", package: "swift-stanza"),
                .product(name: "XMLTree", package: "swift-stanza"),
                .product(name: "XMPPSession", package: "swift-stanza"),
                .product(name: "XMPPTransport", package: "swift-stanza"),
            ]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
