// Mistakes in a program's handlers. Building the registry finds them before it stores or loses anything.

public import Foundation

/// All problems with the handlers of a registry.
public struct HandlerRegistryError: Error, Sendable, Hashable {
    /// In the order of the definitions; never empty.
    public let problems: [Problem]

    public enum Problem: Sendable, Hashable {
        /// A part of a name is missing, too long, or holds a character that names cannot have.
        case invalidName(HandlerName)
        /// Two handlers have the same current or former name.
        case duplicateName(HandlerName)
        /// A version below 1 or above the limit.
        case invalidVersion(HandlerName, Int)
        /// Arguments of that version would be lost.
        case missingMigration(HandlerName, from: Int)
        /// A migration from a version that does not exist, or from the current one.
        case uselessMigration(HandlerName, from: Int, version: Int)
        case invalidParameterName(HandlerName, String)
        case duplicateParameter(HandlerName, String)
        case tooManyParameters(HandlerName)
        case invalidTypeName(String)
        case invalidTypeVersion(String, Int)
        /// Two Codable types have the same name.
        case duplicateTypeName(String)
    }
}

extension HandlerRegistryError: CustomStringConvertible, LocalizedError {
    /// One line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }

    public var errorDescription: String? { description }
}

extension HandlerRegistryError.Problem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidName(let name):
            "'\(name)' is not a handler name: expected 'Type|function', both of 1 to \(HandlerLimits.nameBytes) bytes without control characters, '<', '>' and '|'"
        case .duplicateName(let name):
            "two handlers are called '\(name)', now or formerly: give one of them another name"
        case .invalidVersion(let name, let version):
            "handler '\(name)': version \(version) is invalid, expected 1 to \(HandlerLimits.version)"
        case .missingMigration(let name, let version):
            "handler '\(name)': the migration from version \(version) is missing: add 'migrations: [\(version): …]'"
        case .uselessMigration(let name, let version, let newest):
            "handler '\(name)': the migration from version \(version) is never used, as version \(newest) is the newest: remove it, or raise the version"
        case .invalidParameterName(let name, let parameter):
            "handler '\(name)': '\(parameter)' is not a parameter name, expected 1 to \(HandlerLimits.nameBytes) bytes without control characters"
        case .duplicateParameter(let name, let parameter):
            "handler '\(name)': two parameters are called '\(parameter)'"
        case .tooManyParameters(let name):
            "handler '\(name)': more than \(HandlerLimits.arguments) parameters"
        case .invalidTypeName(let name):
            "'\(name)' is not a name for a stored type, expected 1 to \(HandlerLimits.nameBytes) bytes without control characters"
        case .invalidTypeVersion(let name, let version):
            "type '\(name)': version \(version) is invalid, expected 1 to \(HandlerLimits.version)"
        case .duplicateTypeName(let name):
            "two types are stored as '\(name)': give one of them another storedName"
        }
    }
}
