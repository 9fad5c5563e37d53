// The documents of a suite as trees. A shared document is read once, for any number of cases.

import StanzaQuery

/// The document of a case.
enum SuiteDocument {
    case own(_ xml: String)
    case shared(SharedDocument)

    var xml: String {
        switch self {
        case .own(let xml): xml
        case .shared(let document): document.xml
        }
    }

    /// - Parameter context: The namespace bindings around the document.
    func trees(in context: NamespaceContext) throws(XMLParseError) -> DocumentTrees {
        switch self {
        case .own(let xml): try DocumentTrees(xml, in: context)
        case .shared(let document): try document.trees(in: context)
        }
    }
}

/// A document as both kinds of trees. Queries change neither.
struct DocumentTrees {
    let frozen: Element
    let editable: MutableElement

    fileprivate init(_ xml: String, in context: NamespaceContext) throws(XMLParseError) {
        frozen = try Element(parsing: xml, in: context)
        editable = frozen.thaw()
    }
}

/// A document of several cases of a suite, all in the same context.
final class SharedDocument {
    let xml: String
    private var trees: Result<DocumentTrees, XMLParseError>?

    init(_ xml: String) {
        self.xml = xml
    }

    fileprivate func trees(in context: NamespaceContext) throws(XMLParseError) -> DocumentTrees {
        let trees = trees ?? Result { () throws(XMLParseError) in try DocumentTrees(xml, in: context) }
        self.trees = trees
        return try trees.get()
    }
}
