// The time and the direction of a stanza in a log: those in the text before it.

/// The parts of a log's line that are not the stanza.
struct LogOrigin {
    /// The time stamp as the log writes it.
    private var time: String?
    /// `in` or `out`.
    private var direction: String?

    /// The names of the members that `--row` can use.
    static let names = ["time", "direction"]

    private static let incoming: Set = ["in", "recv", "received", "receiving", "incoming", "rx"]
    private static let outgoing: Set = ["out", "send", "sent", "sending", "outgoing", "tx"]

    /// Reads the text since the last stanza: its last line, and the one before it if the last one has no time. Without
    /// any, the origin stays: one line may have several stanzas.
    mutating func read(_ text: [UInt8]) {
        let lines = text.split(separator: UInt8(ascii: "\n")).suffix(3).filter { $0.contains { $0 > 0x20 } }
        guard let last = lines.last else { return }
        time = Self.time(in: last)
        direction = Self.direction(in: last)
        guard time == nil, let previous = lines.dropLast().last else { return }
        time = Self.time(in: previous)
        direction = direction ?? Self.direction(in: previous)
    }

    /// The values of members, by their paths.
    func values(_ paths: [[String]]) -> [JSONValue] {
        paths.map { path in
            switch path {
            case ["time"]: time.map { .string($0) } ?? .null
            case ["direction"]: direction.map { .string($0) } ?? .null
            default: .null
            }
        }
    }

    /// The last word for a direction: it is next to the stanza.
    private static func direction(in line: ArraySlice<UInt8>) -> String? {
        for word in line.split(whereSeparator: { !LogScanner.Text.beginsName($0) }).reversed() where word.count < 10 {
            let word = String(decoding: word, as: UTF8.self).lowercased()
            if incoming.contains(word) { return "in" }
            if outgoing.contains(word) { return "out" }
        }
        return nil
    }

    /// The forms of dates before a time, and of zones after it. `0`, `A` and `a` are any digit and any letter.
    private static let dates: [StaticString] = [
        "0000-00-00T", "0000-00-00 ", "0000/00/00 ", "00/00/0000 ", "00.00.0000 ", "00/00/00 ", "Aaa 00 ", "Aaa  0 ",
    ]
    private static let zones: [StaticString] = ["Z", "+00:00", "-00:00", "+0000", "-0000"]

    /// The first time of day, with the date before it, and with the fraction and the zone after it.
    private static func time(in line: ArraySlice<UInt8>) -> String? {
        let text = line.prefix(LogScanner.context)
        guard let time = text.indices.first(where: { has("00:00:00", at: $0, of: text) }) else { return nil }
        let date = dates.first { has($0, at: time - $0.utf8CodeUnitCount, of: text) }
        var end = time + "00:00:00".utf8.count
        if [".0", ",0", ":0"].contains(where: { has($0, at: end, of: text) }) {
            end += 1
            end += text[end...].prefix(9).prefix(while: \.isDigit).count
        }
        let zone = zones.first { has($0, at: end, of: text) }
        end += zone?.utf8CodeUnitCount ?? 0
        return String(decoding: text[(time - (date?.utf8CodeUnitCount ?? 0))..<end], as: UTF8.self)
    }

    /// Whether a text has a form at a place.
    private static func has(_ form: StaticString, at start: Int, of text: ArraySlice<UInt8>) -> Bool {
        guard start >= text.startIndex, start + form.utf8CodeUnitCount <= text.endIndex else { return false }
        return zip(form.buffer, text[start...]).allSatisfy { part, byte in
            switch part {
            case UInt8(ascii: "0"): byte.isDigit
            case UInt8(ascii: "A"): UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            case UInt8(ascii: "a"): UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
            default: byte == part
            }
        }
    }
}
