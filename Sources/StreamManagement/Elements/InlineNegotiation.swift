// Resuming and enabling inside of SASL2 authentication (XEP-0388 §4, XEP-0386): pure functions from features to
// elements, and from the server's success to what came of them.
//
// Who authenticates puts the elements into `<authenticate/>`. Which nonzas to send is the core's to say: it gives them
// as actions, as on any stream.

import XMLTree

/// The part of SASL2 that concerns stream management (rule R37).
public enum InlineNegotiation {
    /// The elements to put into `<authenticate/>`: what of the nonzas the server takes there.
    ///
    /// - Parameters:
    ///   - resume: a `<resume/>`, if there is a session to resume.
    ///   - enable: an `<enable/>`, for when there is none or it cannot be resumed.
    ///   - tag: the tag of the resource to bind: what the software is called.
    ///   - features: what the server offers.
    public static func elements(resume: Nonza?, enable: Nonza?, tag: String? = nil, features: StreamFeatures) throws
        -> [Element]
    {
        var elements: [Element] = []
        if features.supportsInlineResumption, let resume { elements.append(resume.element) }
        if features.supportsInlineBinding {
            let bind = try MutableElement("bind", namespace: .uri(Namespaces.bind2)) {
                if let tag { try MutableElement("tag", text: tag) }
                if features.supportsInlineEnabling { enable?.element }
            }
            elements.append(bind.freeze())
        }
        return elements
    }

    /// What the server did. It resumes first: on success it ignores the binding, and there will be no stream features;
    /// otherwise the failure and the binding come in the same `<success/>`.
    public struct Result: Equatable, Sendable {
        /// `<resumed/>` or `<failed/>`; `nil` if resumption was not asked for.
        public let resumption: Element?
        /// `<bound/>`; `nil` if the session was resumed or binding was not asked for.
        public let bound: Element?
        /// `<enabled/>` or `<failed/>` in `<bound/>`; `nil` if that was not asked for.
        public let enabling: Element?
        /// The address that was bound.
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
