// The result builder for an element's content.

/// A piece of a new element's content.
public enum NewContent {
    case element(MutableElement)
    case frozen(Element)
    case text(String)
    /// Pieces in order; empty for no content.
    case pieces([NewContent])
}

/// Collects the content in the braces of `MutableElement(_:namespace:attributes:content:)`: elements of both kinds,
/// strings, optionals and arrays of these, and conditions and loops over them.
@resultBuilder
public enum ElementBuilder {
    public static func buildExpression(_ element: MutableElement) -> NewContent { .element(element) }

    public static func buildExpression(_ element: MutableElement?) -> NewContent {
        element.map { .element($0) } ?? .pieces([])
    }

    public static func buildExpression(_ element: Element) -> NewContent { .frozen(element) }

    public static func buildExpression(_ element: Element?) -> NewContent { element.map { .frozen($0) } ?? .pieces([]) }

    public static func buildExpression(_ text: String) -> NewContent { .text(text) }

    public static func buildExpression(_ text: String?) -> NewContent { text.map { .text($0) } ?? .pieces([]) }

    public static func buildExpression(_ elements: [MutableElement]) -> NewContent {
        .pieces(elements.map { .element($0) })
    }

    public static func buildExpression(_ elements: [Element]) -> NewContent { .pieces(elements.map { .frozen($0) }) }

    public static func buildBlock(_ pieces: NewContent...) -> NewContent { .pieces(pieces) }

    public static func buildOptional(_ piece: NewContent?) -> NewContent { piece ?? .pieces([]) }

    public static func buildEither(first piece: NewContent) -> NewContent { piece }

    public static func buildEither(second piece: NewContent) -> NewContent { piece }

    public static func buildLimitedAvailability(_ piece: NewContent) -> NewContent { piece }

    public static func buildArray(_ pieces: [NewContent]) -> NewContent { .pieces(pieces) }
}
