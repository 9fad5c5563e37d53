// Streams, documents and fragments: the parser's events as items of an input.

import StanzaQuery

/// Reads XML in one of the parser's modes.
final class XMLInput: StanzaInput {
    private var parser: XMLStreamParser

    /// Fragments go on behind most errors.
    var hasEnded: Bool { parser.hasFailed }

    init(_ mode: XMLStreamParser.Mode, limits: ParserLimits) {
        parser = XMLStreamParser(mode: mode, limits: limits)
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        parser.feed(bytes)
    }

    func finish() {
        parser.finish()
    }

    func next() -> InputItem? {
        do throws(XMLParseError) {
            while let event = try parser.next() {
                switch event {
                case .element(let stanza, let position): return .stanza(stanza, line: position.line)
                case .streamStart, .streamEnd: continue
                }
            }
            return nil
        } catch {
            let position = error.position
            return .problem(InputProblem(line: position.line, column: position.column, message: error.advice))
        }
    }
}

extension XMLParseError {
    /// What is wrong, with the options of the command that help.
    var advice: String {
        switch kind {
        case .limit(.bytes, let maximum):
            "this stanza has more than \(maximum) bytes; --max-stanza-bytes allows more"
        case .limit(.depth, let maximum):
            "elements are nested more than \(maximum) deep; --max-depth allows more"
        default: message
        }
    }
}
