// First results in terms that the engine and Prosody share.

import StanzaQuery

/// The place of an element: the indexes of child elements from the root down, written `0/2`.
struct ElementPlace: Equatable, CustomStringConvertible {
    let description: String

    static let root = ElementPlace("")

    init(_ description: String) {
        self.description = description
    }

    init(of element: Element) {
        var indexes: [String] = []
        var current = element
        while let parent = current.parent {
            indexes.append(String(current.childIndex))
            current = parent
        }
        description = indexes.reversed().joined(separator: "/")
    }
}

/// The first result of a query: an element, or a text of any origin.
enum FoundResult: Equatable, CustomStringConvertible {
    case element(ElementPlace)
    case text(String)

    /// Texts are compared code point by code point.
    static func == (left: FoundResult, right: FoundResult) -> Bool {
        switch (left, right) {
        case (.element(let left), .element(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    var description: String {
        switch self {
        case .element(let place): "element [\(place)]"
        case .text(let text): "'\(text)'"
        }
    }
}

/// The engine's answer to a query.
enum EngineAnswer: Equatable, CustomStringConvertible {
    case found(FoundResult)
    /// A result that no query of Prosody's language has: attributes, forms, converted values.
    case foundOtherKind
    case nothing
    case refused(QueryError)

    init(to query: String, on element: Element) {
        do {
            switch try element.findFirst(Query(query)) {
            case .element(let found): self = .found(.element(ElementPlace(of: found)))
            case .string(let text): self = .found(.text(text))
            case .some: self = .foundOtherKind
            case nil: self = .nothing
            }
        } catch {
            self = .refused(error)
        }
    }

    var description: String {
        switch self {
        case .found(let result): result.description
        case .foundOtherKind: "a result of a kind of its own"
        case .nothing: "nothing"
        case .refused(let error): "\(error)"
        }
    }
}
