// The syntax tree's path: segments and their tests. Filters, extractions and specifiers have files of their own. The
// parser already expands abbreviations (3.6, 5.1): later stages need not know the meaning of a lone '#'.

/// The meaning of a query: a path of segments, then perhaps an extraction and a conversion.
public struct QueryTree: Sendable {
    /// Whether the path begins with `/`: its first segment is tested against the context itself (2.4).
    public var isRooted = false
    /// The segments in order; none in the empty query, which is the context itself (2.2).
    public var segments: [Segment] = []
    /// The value that the query reads from the nodes of the last segment; `nil`: the nodes themselves (4.1).
    public var extraction: Extraction?
    /// The place of the extraction.
    public var extractionRange: SourceRange?
    /// The conversion of the extracted text (4.4).
    public var conversion: Conversion?
    /// The place of the conversion's name, without the `|`.
    public var conversionRange: SourceRange?
}

/// One segment of a path: a step, and filters for its nodes.
public struct Segment: Sendable {
    /// Where a segment leads.
    public enum Step: Sendable {
        /// `..`, to the parent (3.5). Carries no filters.
        case ascend
        /// To the children that satisfy the test; to the context itself in the first segment of a rooted path.
        case elements(ElementTest)
        /// Nowhere: a nameless extraction (`@id`, `foo/@id`, `../#`) reads the node reached so far. Carries no filters.
        case selfNode
    }

    public var step: Step
    /// All of them must hold, from left to right (3.7).
    public var filters: [Filter]
    /// The segment as written, without extraction and conversion; empty for a nameless extraction.
    public var range: SourceRange
}

/// The name and the namespace that an element must have.
public struct ElementTest: Sendable {
    /// The test of a local name (3.1, 3.2, 3.4).
    public enum NameTest: Sendable {
        /// `*`, or a namespace alone.
        case any
        /// `name`
        case named(String)
        /// `!name`: every name but this.
        case not(String)
        /// The name that is bound to a slot.
        case slot(Slot)
        /// `!` before a slot.
        case notSlot(Slot)
    }

    /// The test of a namespace (3.1 to 3.3).
    public enum NamespaceTest: Sendable {
        /// Left out: the namespace of the candidate's parent.
        case inherited
        /// `{*}`: any namespace, or none.
        case any
        /// `{namespace}`
        case named(String)
        /// A slot between braces.
        case slot(Slot)
    }

    public var name: NameTest
    public var namespace: NamespaceTest

    public init(name: NameTest, namespace: NamespaceTest) {
        self.name = name
        self.namespace = namespace
    }

    /// `{*}*`, the meaning of a filter or an extraction alone at the beginning of a rooted path.
    public static var anyElement: ElementTest { ElementTest(name: .any, namespace: .any) }
    /// `*`, the meaning of `#` alone.
    public static var anyInherited: ElementTest { ElementTest(name: .any, namespace: .inherited) }
    /// `{jabber:x:data}x`, the meaning of a form query without a name.
    public static var dataForm: ElementTest { ElementTest(name: .named("x"), namespace: .named("jabber:x:data")) }
}
