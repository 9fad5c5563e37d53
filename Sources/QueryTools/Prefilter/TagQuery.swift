// Queries that the first tag of a stanza answers: a reader of tags needs no tree for them.

import StanzaQuery

/// What a query tests and reads, if that is only the stanza's local name and its attributes without a prefix.
package struct TagQuery: Hashable, Sendable {
    /// An attribute that the stanza must have.
    package struct Condition: Hashable, Sendable {
        package let attribute: String
        /// The only value that passes; `nil` if any does.
        package let value: String?
    }

    /// The only local name that passes; `nil` if any does.
    package private(set) var name: String?
    /// All of them must hold.
    package private(set) var conditions: [Condition] = []
    /// The attribute whose value is the result; `nil` if the stanza itself is.
    package private(set) var result: String?

    /// `nil` if the query needs anything else.
    fileprivate init?(_ program: Program) {
        guard program.error == nil else { return nil }
        for (index, step) in program.steps.enumerated() {
            switch step.op {
            // A stanza has no parent, and so any namespace passes.
            case .own where step.test == .inherited || step.test == .anywhere:
                guard name == nil, let own = program.name(of: index) else { return nil }
                name = own.local
            case .filter where step.source == .plain && !step.ignoresCase && !step.takesArgument:
                guard let attribute = program.name(of: index)?.local else { return nil }
                switch step.condition {
                case .exists: conditions.append(Condition(attribute: attribute, value: nil))
                case .equals:
                    let value = String(decoding: program.string(of: step), as: UTF8.self)
                    conditions.append(Condition(attribute: attribute, value: value))
                case .isOneOf, .hasPrefix, .hasSuffix, .contains, .matches: return nil
                }
            case .yield where step.result == .element: break
            case .yield where step.result == .attribute && step.source == .plain && step.conversion == nil:
                guard let attribute = program.name(of: index)?.local else { return nil }
                result = attribute
            case .child, .own, .not, .leave, .ascend, .filter, .yield: return nil
            }
        }
    }
}

extension Query {
    /// The query as one about first tags; `nil` if it is about more.
    package var tagQuery: TagQuery? { TagQuery(program) }
}
