// A rejected submission, and the error that reports it to the sender (XEP-0004 §4).

public import FormModel
import XMPPCore

/// The reason for rejecting a submission: one or more problems.
public struct FormRejection: Error, Sendable, Hashable {
    public let problems: [FormProblem]

    public init(problems: [FormProblem]) {
        self.problems = problems
    }

    /// Makes the `<error/>` for the answer to an IQ stanza: `not-acceptable`, of type `modify`, with the problems as
    /// text.
    ///
    /// It has no namespace yet, and takes the namespace of the stanza that you add it to.
    ///
    /// - Parameter language: The language of the labels in the problems, as in `xml:lang`.
    public func errorElement(language: String = "en") -> MutableElement {
        let namespace = ElementNamespace.uri(Namespaces.stanzaErrors)
        let condition = MutableElement("not-acceptable", namespace: namespace)
        let text = MutableElement(
            "text", namespace: namespace, attributes: ["xml:lang": language], text: description)
        return MutableElement("error", attributes: ["type": "modify"], children: [condition, text])
    }
}

extension FormRejection: CustomStringConvertible {
    /// The problems, each a sentence.
    public var description: String { problems.map(\.description).joined(separator: " ") }
}

extension FormProblem {
    /// Makes the `<error/>` for an answer with this only problem. See `FormRejection.errorElement(language:)`.
    public func errorElement(language: String = "en") -> MutableElement {
        FormRejection(problems: [self]).errorElement(language: language)
    }
}
