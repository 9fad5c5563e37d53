// Every data form of the recorded session and of the specifications' examples.

import DataForms
import TestSupport
import XMLTree

enum CorpusForms {
    /// The forms, in the order of their stanzas. An unreadable stanza is an error; it is not skipped.
    static var all: [Element] { get throws { try loaded.get() } }

    private static let loaded = Result {
        let files = [Corpus.recordedSession] + (Corpus.specifications.map { [$0] } ?? [])
        return try files.flatMap { file in
            try Corpus.stanzas(in: file).flatMap { forms(in: try Element(parsing: $0, in: .clientStream)) }
        }
    }

    /// The number of forms in the session alone.
    static let expectedCount = 60

    private static func forms(in element: Element) -> [Element] {
        (DataForm(element) == nil ? [] : [element]) + element.children.flatMap(forms)
    }
}
