// Transcripts: files of cases, each of which is a title, steps, and the lines that the steps cause.

public import Foundation

/// A file of cases. Tests/StreamRules/README.md documents the format.
public enum Transcript {
    public struct Mistake: Error, CustomStringConvertible {
        public let description: String

        public init(_ description: String) { self.description = description }
    }

    /// Plays one step, and returns its lines. A line that begins with "error: " is the refusal of the step.
    public typealias Player = (_ step: String) throws -> [String]

    /// The files of cases in a folder of the package.
    public static func files(in folder: String) -> [URL] {
        let folder = packageFolder.appending(path: folder)
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }
    }

    /// Plays each case of a file with a new player. With STANZA_RECORD=1 it also writes the lines anew.
    ///
    /// - Returns: For each case that differs: its title, and the first line that differs.
    public static func differences(in file: URL, _ newPlayer: () -> Player) throws -> [String] {
        let expected = try String(contentsOf: file, encoding: .utf8)
        guard expected.contains("\n> ") else { throw Mistake("\(file.lastPathComponent) has no cases") }
        let played = try replay(expected, newPlayer)
        if GeneratedTables.isRecording { try played.write(to: file, atomically: true, encoding: .utf8) }
        return GeneratedTables.differingCases(played, expected)
    }

    private static func replay(_ text: String, _ newPlayer: () -> Player) throws -> String {
        var lines: [String] = []
        var player = newPlayer()
        var isTitle = true
        for line in text.components(separatedBy: "\n") where !line.hasPrefix("    ") {
            lines.append(line)
            if line.isEmpty || line.hasPrefix("#") {
                if line.isEmpty { (player, isTitle) = (newPlayer(), true) }
                continue
            }
            guard line.hasPrefix("> ") || line.hasPrefix("- ") else {
                if !isTitle { throw Mistake("neither a step nor a comment: \(line)") }
                isTitle = false
                continue
            }
            let shown = try play(String(line.dropFirst(2)), player)
            if line.hasPrefix("> ") {
                lines += (shown.isEmpty ? ["nothing"] : shown).map { "    \($0)" }
            } else if shown.contains(where: { $0.contains("error: ") }) {
                throw Mistake("\(line): \(shown)")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Plays the steps of a line, for each value if it begins with "for", and returns the lines of the last step.
    public static func play(_ line: String, _ player: Player) throws -> [String] {
        guard line.hasPrefix("for "), let colon = line.firstRange(of: " : ") else { return try playSteps(line, player) }
        var values = line[..<colon.lowerBound].dropFirst(3).components(separatedBy: " | ").map { value in
            value.hasPrefix(" ") ? String(value.dropFirst()) : value
        }
        if let range = values[0].wholeMatch(of: /(\d+)\.\.\.(\d+)/), let first = Int(range.1), let last = Int(range.2) {
            values = (first...last).map { "\($0)" }
        }
        let steps = String(line[colon.upperBound...])
        let shown = try values.map { try playSteps(steps.replacing("$", with: $0), player) }
        if Set(shown).count == 1 { return shown[0] }
        return zip(values, shown).flatMap { value, lines in ["\(value):"] + lines.map { "    \($0)" } }
    }

    private static func playSteps(_ steps: String, _ player: Player) throws -> [String] {
        var shown: [String] = []
        for step in steps.components(separatedBy: " ; ") {
            if shown.contains(where: { $0.hasPrefix("error: ") }) { throw Mistake("\(shown) before \(step)") }
            shown = try player(step)
        }
        return shown
    }
}
