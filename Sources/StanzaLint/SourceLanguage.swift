// The languages of source code.

/// A language whose source code can contain queries.
public enum SourceLanguage: String, Sendable, CaseIterable {
    case swift
    /// Objective-C, also with C++.
    case objectiveC
    case lua

    /// The language of a file by its name; `nil` for any other.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        switch fileName[fileName.index(after: dot)...] {
        case "swift": self = .swift
        case "m", "mm", "h": self = .objectiveC
        case "lua": self = .lua
        default: return nil
        }
    }

    /// The beginning of a comment that ends with the line.
    var lineComment: String { self == .lua ? "--" : "//" }
}
