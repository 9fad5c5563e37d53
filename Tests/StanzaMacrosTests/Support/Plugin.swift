// The compiler plugin that was built with the tests. The tests send it the messages of the compiler, which swift-syntax
// defines in its module SwiftCompilerPluginMessageHandling.

import Foundation
import Locking
import TestSupport

/// The plugin's answer for one macro.
struct Expansion: Decodable {
    struct Diagnostic: Decodable {
        let message: String
        let severity: String
        let position: Position
        let highlights: [Place]
        let fixIts: [FixIt]
    }

    struct FixIt: Decodable {
        let message: String
        let changes: [Change]
    }

    struct Change: Decodable {
        let range: Place
        let newText: String
    }

    struct Position: Decodable {
        let offset: Int
    }

    struct Place: Decodable {
        let startOffset: Int
        let endOffset: Int
        var range: Range<Int> { startOffset..<endOffset }
    }

    /// Empty for a macro that adds nothing.
    let expandedSource: String
    let diagnostics: [Diagnostic]
}

/// A message of the compiler.
enum PluginRequest: Encodable {
    case getCapability(capability: [String: Int])
    case expandFreestandingMacro(
        macro: MacroReference, macroRole: String, discriminator: String, syntax: Syntax, lexicalContext: [Syntax])
    case expandAttachedMacro(
        macro: MacroReference, macroRole: String, discriminator: String, attributeSyntax: Syntax, declSyntax: Syntax,
        extendedTypeSyntax: Syntax?, conformanceListSyntax: Syntax?, lexicalContext: [Syntax])

    struct MacroReference: Encodable {
        let moduleName: String
        let typeName: String
        let name: String
    }

    struct Syntax: Encodable {
        let kind: String
        let source: String
        let location: Location
    }

    /// No macro of the package reads the line and the column.
    struct Location: Encodable {
        var fileID = "Test/Test.swift"
        var fileName = "Test.swift"
        var offset = 0
        var line = 1
        var column = 1
    }
}

/// The plugin's process, which reads one message after the other.
final class Plugin: Sendable {
    static var program: URL { get throws { try Compiler.buildFolder.appending(path: "StanzaMacros-tool") } }

    /// After a failure, the next message starts another process.
    private static let running = Lock<Plugin?>(nil)

    private let input = Pipe()
    private let output = Pipe()
    private let process: ChildProcess

    private init() throws {
        process = try ChildProcess(Self.program, input: .pipe(input), output: .pipe(output))
        // Since this version of the protocol, an answer is one text for each macro and role.
        _ = try exchange(.getCapability(capability: ["protocolVersion": 7]))
    }

    static func expand(_ request: PluginRequest) throws -> Expansion {
        try running.withLock { running in
            let plugin = try running ?? Plugin()
            running = nil
            let answer = try JSONDecoder().decode([String: Expansion].self, from: plugin.exchange(request))
            running = plugin
            guard let expansion = answer["expandMacroResult"] else { throw CocoaError(.coderReadCorrupt) }
            return expansion
        }
    }

    /// Sends a message, and returns the plugin's. Before each is its length, in eight bytes.
    private func exchange(_ request: PluginRequest) throws -> Data {
        let message = try JSONEncoder().encode(request)
        let length = withUnsafeBytes(of: UInt64(message.count).littleEndian) { Data($0) }
        try input.fileHandleForWriting.write(contentsOf: length + message)
        let count = try read(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        return try read(count)
    }

    private func read(_ count: Int) throws -> Data {
        var data = Data()
        while data.count < count {
            guard let more = try output.fileHandleForReading.read(upToCount: count - data.count), !more.isEmpty else {
                throw CocoaError(.fileReadUnknown)  // The plugin crashed; its errors are those of the tests.
            }
            data += more
        }
        return data
    }
}
