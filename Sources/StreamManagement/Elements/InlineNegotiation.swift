// Resuming and enabling inside SASL2 authentication (XEP-0388 §4, XEP-0386): pure functions from features to elements,
// and from the server's `<success/>` to the result.
//
// The authenticating component puts the elements into `<authenticate/>`. The core decides which nonzas to send: it
// returns them as actions, as on any stream.

import XMLTree
import XMPPCore

/// The part of SASL2 that concerns stream management (rule R37).
public enum InlineNegotiation {
    /// Returns the elements for `<authenticate/>`: the nonzas that the server accepts there, and the binding.
    ///
    /// - Parameters:
    ///   - resume: a `<resume/>`, if a session can be resumed.
    ///   - enable: an `<enable/>`, for the case that no session is resumed.
    ///   - tag: the tag of the resource to bind: the software's name.
    ///   - features: the server's features.
    /// - Throws: `XMLTreeError` for a tag with a character that XML cannot hold.
    public static func elements(
        resume: Nonza?, enable: Nonza?, tag: String? = nil, features: StreamFeatures
    ) throws(XMLTreeError) -> [Element] {
        var elements: [Element] = []
        if features.supportsInlineResumption, let resume { elements.append(resume.element) }
        if features.supportsInlineBinding {
            let bind = MutableElement("bind", namespace: .uri(Namespaces.bind2))
            try XMLTreeError.check(text: tag ?? "")
            if let tag { bind.addChild("tag", text: tag) }
            if features.supportsInlineEnabling, let enable { bind.add(enable.element) }
            elements.append(bind.freeze())
        }
        return elements
    }

    /// The server's answers in `<success/>`. The server resumes first: on success it ignores the binding and sends no
    /// stream features. Otherwise the failure and the binding come in the same `<success/>`.
    public struct Result: Equatable, Sendable {
        /// `<resumed/>` or `<failed/>`; `nil` if the client did not ask for resumption.
        public let resumption: Element?
        /// `<bound/>`; `nil` if the session was resumed or the client did not ask for binding.
        public let bound: Element?
        /// `<enabled/>` or `<failed/>` in `<bound/>`; `nil` if the client did not ask for stream management.
        public let enabling: Element?
        /// The bound address.
        public let address: String?

        public var isResumed: Bool { resumption.map { ElementKind($0) == .resumed } ?? false }

        /// Reads a `<success/>` of SASL2.
        public init(success: Element) {
            let isSuccess = success.name == "success" && success.namespace == Namespaces.sasl2
            resumption = isSuccess ? Self.answer(in: success, [.resumed, .failed]) : nil
            let bound = isSuccess ? success.child("bound", namespace: .uri(Namespaces.bind2)) : nil
            let wasResumed = resumption.map { ElementKind($0) == .resumed } ?? false
            self.bound = wasResumed ? nil : bound
            address = isSuccess ? success.child("authorization-identifier")?.text : nil
            enabling = wasResumed ? nil : bound.flatMap { Self.answer(in: $0, [.enabled, .failed]) }
        }

        private static func answer(in parent: Element, _ kinds: [ElementKind]) -> Element? {
            parent.children.first { kinds.contains(ElementKind($0)) }
        }
    }
}
