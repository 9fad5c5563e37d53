// Finds the macros in the source of a test, and asks the plugin to expand them, as the compiler does.

import Foundation
import Testing

/// What the compiler knows of a macro by its declaration.
private struct MacroDeclaration {
    let type: String
    let roles: [String]
    /// The protocol that the expansion of a type conforms to.
    var conformance: String?

    static let all = [
        "DataForm": MacroDeclaration(
            type: "DataFormMacro", roles: ["extension"], conformance: "DataFormConvertible"),
        "Field": MacroDeclaration(type: "FieldMacro", roles: ["peer"]),
        "Handler": MacroDeclaration(type: "HandlerMacro", roles: ["peer"]),
        "Handlers": MacroDeclaration(
            type: "HandlersMacro", roles: ["member", "extension"], conformance: "HandlerProvider"),
        "named": MacroDeclaration(type: "NamedMacro", roles: ["expression"]),
        "query": MacroDeclaration(type: "QueryMacro", roles: ["expression"]),
        "queries": MacroDeclaration(type: "QueriesMacro", roles: ["declaration"]),
        "Payload": MacroDeclaration(type: "PayloadMacro", roles: ["extension"], conformance: "Payload"),
    ].merging(marks) { declaration, _ in declaration }

    /// The marks of `@Payload`.
    private static let marks = Dictionary(
        uniqueKeysWithValues: ["Attribute", "Text", "Child", "Flag", "Form", "Rest", "Query", "Case"].map {
            ($0, MacroDeclaration(type: "PayloadMarkMacro", roles: ["peer"]))
        })
}

/// A macro in a source. All ranges are UTF-8 offsets.
struct MacroUse {
    private let source: [UInt8]
    private let name: String
    private let macro: MacroDeclaration
    /// The attribute, or the whole of a freestanding macro.
    private let range: Range<Int>
    /// The declaration with the attribute; `nil` for a freestanding macro.
    private let declaration: Range<Int>?
    /// What encloses it, without content, innermost first.
    private let surroundings: [String]

    /// Expands all macros of a source, in their order. A failure of the plugin is an issue of the test.
    ///
    /// - Parameter surroundings: The functions, closures and types around the source, without content, innermost first:
    ///   `func f()`, `{}`, `struct S {}`. In the source, only types enclose macros.
    static func expansions(of source: String, in surroundings: [String] = []) -> [Expansion] {
        let uses = all(in: SourceTokens(source), surroundings)
        if uses.isEmpty { Issue.record("no macro is in \(source)") }
        return uses.flatMap { $0.expansions() }
    }

    /// Expands the macro with which a source begins, and none that it encloses.
    static func firstExpansions(of source: String) -> [Expansion] {
        MacroUse(at: 0, SourceTokens(source), [])?.expansions() ?? []
    }

    private func expansions() -> [Expansion] {
        do {
            return try macro.roles.map(expand)
        } catch {
            Issue.record(error, "the plugin failed on \(String(decoding: source, as: UTF8.self))")
            return []
        }
    }

    private func expand(as role: String) throws -> Expansion {
        let reference = PluginRequest.MacroReference(moduleName: "StanzaMacros", typeName: macro.type, name: name)
        let discriminator = "__macro_local_"
        let context = surroundings.map { syntax($0.hasPrefix("{") ? "expression" : "declaration", $0) }
        guard let declaration else {
            return try Plugin.expand(
                .expandFreestandingMacro(
                    macro: reference, macroRole: role, discriminator: discriminator, syntax: syntax(role, range),
                    lexicalContext: context))
        }
        let conformance = ["extension", "member"].contains(role) ? macro.conformance : nil
        // For a nested type, the compiler passes the names of the outer ones, too.
        let type = String(decoding: source[declaration], as: UTF8.self)
            .firstMatch(of: #/\b(?:struct|class|enum|actor|extension)\s+([\w.]+)/#)
        return try Plugin.expand(
            .expandAttachedMacro(
                macro: reference, macroRole: role, discriminator: discriminator,
                attributeSyntax: syntax("attribute", range), declSyntax: syntax("declaration", declaration),
                extendedTypeSyntax: conformance.flatMap { _ in type.map { syntax("type", String($0.1)) } },
                conformanceListSyntax: conformance.map { syntax("declaration", "struct Placeholder: \($0) {}") },
                lexicalContext: context))
    }

    private func syntax(_ kind: String, _ range: Range<Int>) -> PluginRequest.Syntax {
        let text = String(decoding: source[range], as: UTF8.self)
        return PluginRequest.Syntax(kind: kind, source: text, location: .init(offset: range.lowerBound))
    }

    private func syntax(_ kind: String, _ source: String) -> PluginRequest.Syntax {
        PluginRequest.Syntax(kind: kind, source: source, location: .init())
    }
}

extension MacroUse {
    private static func all(in tokens: SourceTokens, _ surroundings: [String]) -> [MacroUse] {
        let source = tokens.source
        var uses: [MacroUse] = []
        var surroundings = surroundings
        /// Where the current declaration begins.
        var start = 0
        var place = 0
        while place < source.count {
            switch source[place] {
            case UInt8(ascii: "{"): surroundings.insert(tokens.text(start..<place) + "{}", at: 0)
            case UInt8(ascii: "}"): surroundings.removeFirst()
            default:
                if let use = MacroUse(at: place, tokens, surroundings) {
                    uses.append(use)
                    place = use.range.upperBound
                    continue
                }
            }
            if "{};".utf8.contains(source[place]) { start = place + 1 }
            place = tokens.next(place)
        }
        return uses
    }

    /// `nil` if no known macro begins at this place.
    private init?(at place: Int, _ tokens: SourceTokens, _ surroundings: [String]) {
        let source = tokens.source
        guard let marker = source[place...].first, "@#".utf8.contains(marker) else { return nil }
        let isAttached = marker == UInt8(ascii: "@")
        var end = tokens.end(after: place + 1) { $0 == UInt8(ascii: ".") || tokens.isLetter($0) }
        name = tokens.text(place + 1..<end)
        guard let macro = MacroDeclaration.all[name.split(separator: ".").last.map(String.init) ?? ""] else {
            return nil
        }
        // Types between angle brackets contain no parentheses.
        if !isAttached { end = tokens.end(after: end) { $0 != UInt8(ascii: "(") } }
        if end < source.count, source[end] == UInt8(ascii: "(") { end = tokens.closing(end) }
        self.source = source
        self.macro = macro
        self.surroundings = surroundings
        range = place..<tokens.end(after: end) { $0 == UInt8(ascii: " ") }
        declaration = isAttached ? place..<tokens.endOfDeclaration(range.upperBound) : nil
    }
}

/// The few tokens of Swift that finding a macro takes: literals, brackets, and the ends of declarations.
private struct SourceTokens {
    let source: [UInt8]

    init(_ source: String) { self.source = Array(source.utf8) }

    func text(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

    func isLetter(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isLetter }

    func end(after place: Int, while isPart: (UInt8) -> Bool) -> Int {
        source[place...].firstIndex { !isPart($0) } ?? source.count
    }

    /// The place after the literal that begins here, or after one byte.
    func next(_ place: Int) -> Int {
        guard source[place] == UInt8(ascii: "\"") || source[place] == UInt8(ascii: "#") else { return place + 1 }
        let quote = end(after: place) { $0 == UInt8(ascii: "#") }
        guard quote < source.count, source[quote] == UInt8(ascii: "\"") else { return place + 1 }
        let quotes = source[quote...].starts(with: "\"\"\"".utf8) ? 3 : 1
        let pounds = source[place..<quote]
        let delimiter = source[quote..<quote + quotes] + pounds
        let escape = [UInt8(ascii: "\\")] + pounds
        var place = quote + quotes
        while place < source.count, !source[place...].starts(with: delimiter) {
            guard source[place...].starts(with: escape) else {
                place += 1
                continue
            }
            place += escape.count
            place = source[place] == UInt8(ascii: "(") ? closing(place) : place + 1
        }
        return place + delimiter.count
    }

    /// The place after the bracket that closes this one.
    func closing(_ place: Int) -> Int {
        var place = place
        var depth = 0
        repeat {
            switch source[place] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            place = next(place)
        } while depth > 0 && place < source.count
        return place
    }

    /// The end of the declaration whose first attribute ends at this place.
    func endOfDeclaration(_ place: Int) -> Int {
        var place = end(after: place) { " \n".utf8.contains($0) }
        while place < source.count, !";\n}".utf8.contains(source[place]) {
            if source[place] == UInt8(ascii: "{") { return closing(place) }
            place = "([".utf8.contains(source[place]) ? closing(place) : next(place)
        }
        return place
    }
}
