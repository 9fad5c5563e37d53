// Findings as SARIF 2.1.0, which code hosts and editors read.

public import Foundation

/// Findings of several files as one log, in the shape of the OASIS standard SARIF 2.1.0.
public struct SARIFLog: Encodable, Sendable {
    private let version = "2.1.0"
    private let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    private let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case version, runs
        case schema = "$schema"
    }

    /// Creates a log of findings, in the order of the files.
    ///
    /// - Parameters:
    ///   - findings: Each finding with the path of its file.
    ///   - toolVersion: The version of the program that writes the log.
    ///   - bytes: The bytes of a path, if its text represents other bytes than its own.
    public init(
        _ findings: [(path: String, finding: LintFinding)], toolVersion: String,
        bytes: (_ path: String) -> [UInt8] = { Array($0.utf8) }
    ) {
        let rules = Set(findings.map(\.finding.rule.name)).sorted()
        runs = [
            Run(
                tool: Tool(driver: Driver(name: "stanza lint", version: toolVersion, rules: rules.map(Rule.init(id:)))),
                results: findings.map { Result(path: bytes($0.path), $0.finding) })
        ]
    }

    /// The log as JSON.
    ///
    /// - Throws: The errors of `JSONEncoder`.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    private struct Run: Encodable {
        let tool: Tool
        let columnKind = "utf16CodeUnits"
        let results: [Result]
    }

    private struct Tool: Encodable { let driver: Driver }

    private struct Driver: Encodable {
        let name: String
        let version: String
        let rules: [Rule]
    }

    private struct Rule: Encodable { let id: String }

    private struct Message: Encodable { let text: String }

    private struct Result: Encodable {
        let ruleId: String
        let level: String
        let message: Message
        let locations: [Location]

        init(path: [UInt8], _ finding: LintFinding) {
            ruleId = finding.rule.name
            level = finding.severity.rawValue
            message = Message(text: finding.message + (finding.hint.map { "; \($0)" } ?? ""))
            let region = Region(
                startLine: finding.start.line, startColumn: finding.start.utf16Column, endLine: finding.end.line,
                endColumn: finding.end.utf16Column)
            locations = [
                Location(physicalLocation: PhysicalLocation(artifactLocation: Artifact(path: path), region: region))
            ]
        }
    }

    private struct Location: Encodable { let physicalLocation: PhysicalLocation }

    private struct PhysicalLocation: Encodable {
        let artifactLocation: Artifact
        let region: Region
    }

    private struct Artifact: Encodable {
        let uri: String

        /// A URI of a file, or a reference relative to where the command was called.
        init(path: [UInt8]) {
            let encoded = path.map { byte in
                let scalar = Unicode.Scalar(byte)
                if scalar.isASCII, Self.unchanged.contains(scalar) { return String(scalar) }
                return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
            uri = (path.first == UInt8(ascii: "/") ? "file://" : "") + encoded.joined()
        }

        private static let unchanged = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":;"))
    }

    private struct Region: Encodable {
        let startLine: Int
        let startColumn: Int
        let endLine: Int
        let endColumn: Int
    }
}
