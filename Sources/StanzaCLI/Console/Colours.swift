// Colours on a terminal, and nothing where none are wanted.

import Foundation

/// What a piece of text is.
enum TextStyle: String {
    case mistake = "31"
    case matched = "1;32"
    case visited = "36"
    case rejected = "33"
    case quiet = "2"
    case heading = "1"
}

/// Paints text, if that is wanted.
struct Painter {
    let isOn: Bool

    /// The text between the sequences that switch its colour on and off.
    func paint(_ text: String, _ style: TextStyle) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension Console {
    /// For standard output.
    var painter: Painter { Painter(isOn: output.showsColours) }
}

extension Terminal {
    /// Whether colours are wanted: not if NO_COLOR says anything, nor on a terminal that has none.
    static func wantsColours(_ environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && !isDumb(environment)
    }

    /// Whether nothing can be painted, moved or erased there.
    static func isDumb(_ environment: [String: String]) -> Bool { environment["TERM"] == "dumb" }
}
