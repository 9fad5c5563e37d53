// Every data form of the recorded session and of the specifications' examples.

import DataForms
import TestSupport
import Testing
import XMLTree

enum CorpusForms {
    /// The forms, in the order of their stanzas.
    static let all: [Element] = {
        let files = [Corpus.recordedSession] + (Corpus.specifications.map { [$0] } ?? [])
        return files.flatMap { file in
            ((try? Corpus.stanzas(in: file)) ?? []).flatMap { xml -> [Element] in
                guard let stanza = try? Element(parsing: xml, in: .clientStream) else { return [] }
                return forms(in: stanza)
            }
        }
    }()

    /// The session alone has so many.
    static let expectedCount = 60

    private static func forms(in element: Element) -> [Element] {
        (DataForm(element) == nil ? [] : [element]) + element.children.flatMap(forms)
    }
}
