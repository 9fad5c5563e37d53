// Reading a frozen element. ReadableElement documents each member.

extension Element: ReadableElement, TreePosition {
    package var bindings: SharedNamespaceContext? { tree.dictionary.context }

    package func element(at index: NodeIndex) -> Element { Element(tree: tree, index: index) }

    public var name: String { read { $0.name } }

    public var namespace: String? { read { $0.namespace } }

    public var prefix: String? { read { $0.prefix } }

    public var text: String? { read { $0.text } }

    public func attribute(_ name: String) -> String? { read { $0.attribute(name) } }

    public func namespace(forPrefix prefix: String) -> String? { read { $0.namespace(forPrefix: prefix) } }

    public var namespacesInScope: NamespaceContext { read { $0.namespacesInScope } }

    public var parent: Element? { read { $0.parent }.map(element) }

    public var root: Element { element(at: read { $0.root }) }

    public var firstChild: Element? { read { $0.firstChild }.map(element) }

    public var nextSibling: Element? { read { $0.nextSibling }.map(element) }

    public var childIndex: Int { read { $0.childIndex } }

    public var attributes: ElementAttributes { ElementAttributes(owner: self) }

    public var children: ElementChildren { ElementChildren(parent: self) }

    public var content: ElementContent { ElementContent(parent: self) }

    public func child(_ name: String, namespace: ElementNamespace) -> Element? {
        read { $0.child(name, namespace: namespace) }.map(element)
    }

    public func isSame(as other: Element) -> Bool { tree === other.tree && index == other.index }

    public func write(
        to output: inout [UInt8], in context: NamespaceContext = .empty, format: XMLFormat = .compact
    ) {
        read { XMLWriter.write($0, to: &output, in: context, format: format) }
    }
}
