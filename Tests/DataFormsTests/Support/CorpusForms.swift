// Every data form of the recorded session and of the specifications' examples.

import DataForms
import TestSupport
import XMLTree

enum CorpusForms {
    /// The forms, in the order of their stanzas. A stanza that cannot be read is an error, not a form less.
    static var all: [Element] { get throws { try loaded.get() } }

    private static let loaded = Result {
        let files = [Corpus.recordedSession] + (Corpus.specifications.map { [$0] } ?? [])
        return try files.flatMap { file in
            try Corpus.stanzas(in: file).flatMap { forms(in: try Element(parsing: $0, in: .clientStream)) }
        }
    }

    /// The session alone has so many.
    static let expectedCount = 60

    private static func forms(in element: Element) -> [Element] {
        (DataForm(element) == nil ? [] : [element]) + element.children.flatMap(forms)
    }
}
