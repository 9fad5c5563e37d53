// Colors on a terminal, unless the user turns them off.

import Foundation

/// The kind of a piece of text.
enum TextStyle: String {
    case mistake = "31"
    case matched = "1;32"
    case visited = "36"
    case rejected = "33"
    case quiet = "2"
    case heading = "1"
}

/// Colors text, if colors are wanted.
struct Painter {
    let isOn: Bool

    /// The text between the sequences that switch its color on and off.
    func paint(_ text: String, _ style: TextStyle) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension Console {
    /// For standard output.
    var painter: Painter { Painter(isOn: output.showsColours) }
}

extension Terminal {
    /// Whether colors are wanted: not if NO_COLOR is set, nor on a terminal without colors.
    static func wantsColours(_ environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && !isDumb(environment)
    }

    /// Whether the terminal cannot color, move or erase anything.
    static func isDumb(_ environment: [String: String]) -> Bool { environment["TERM"] == "dumb" }
}
