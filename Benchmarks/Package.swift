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
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.5.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibXML2Headers", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .target(
            name: "CLibXML2Peer", dependencies: ["CLibXML2Headers"], cSettings: [.define("NDEBUG")],
            linkerSettings: [.linkedLibrary("xml2")]),
        .target(
            name: "CPugiXMLPeer", cxxSettings: [.define("NDEBUG")], linkerSettings: [.linkedLibrary(":libpugixml.a")]),
        .target(name: "CCounters"),
        .target(name: "Harness", dependencies: ["CCounters"]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CLibXML2Peer", "CPugiXMLPeer", "Harness",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "StanzaQuery", package: "swift-stanza"),
                .product(name: "_StanzaCLI", package: "swift-stanza"),
                .product(name: "_StanzaLimit", package: "swift-stanza"),
            ]),
        .executableTarget(
            name: "payload-benchmarks",
            dependencies: [
                "Harness",
                .product(name: "PayloadMacros", package: "swift-stanza"),
                .product(name: "StanzaQuery", package: "swift-stanza"),
            ]),
        .executableTarget(
            name: "session-benchmarks",
            dependencies: [
                "CCounters", "Harness",
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
