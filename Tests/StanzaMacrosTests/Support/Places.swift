// A declaration at each place where a program may have it.

enum Places {
    /// The default isolations of a module.
    static let isolations = ["nonisolated", "MainActor"]

    /// The options of the compiler for one of them. All access levels need the name of a package.
    static func options(_ isolation: String) -> [String] {
        ["-package-name", "test", "-default-isolation", isolation]
    }

    /// A source with a declaration of each access level and isolation, nested, in extensions, and inside of `#if`.
    ///
    /// - Parameters:
    ///   - imports: The beginning of the source.
    ///   - declaration: Returns a declaration with these modifiers and this name.
    static func source(
        _ imports: String, _ declaration: (_ modifiers: String, _ name: String) -> String
    ) -> String {
        var count = 0
        func next(_ modifiers: String = "") -> String {
            count += 1
            return declaration(modifiers, "T\(count)")
        }
        let levels = ["private", "fileprivate", "internal", "package", "public", ""]
        var parts = [imports]
        parts += levels.map { next($0) }
        parts += ["nonisolated", "@MainActor", "@MainActor public"].map { next($0) }
        parts.append("public enum Outer {")
        // No extension can see a private type of another one.
        parts += levels.dropFirst().map { next($0) }
        parts += ["struct Inner {", next(), "}", "}"]
        for kind in ["struct", "final class", "actor", "@MainActor struct", "nonisolated struct"] {
            parts += ["\(kind) Outer\(count) {", next(), "}"]
        }
        for level in levels { parts += ["\(level) extension Outer {", next(), "}"] }
        parts += ["nonisolated extension Outer {", next(), "}", "extension Outer.Inner {", next("public"), "}"]
        parts += ["#if true", next(), "#else", "error", "#endif"]
        parts += ["extension Outer {", "#if true", next(), "#endif", "}"]
        return parts.joined(separator: "\n") + "\n"
    }
}
