// Reading an editable element. ReadableElement documents each member.

extension MutableElement: ReadableElement, TreePosition {
    package var view: TreeView { tree.view }

    package var bindings: SharedNamespaceContext? { tree.bindings }

    package func element(at index: NodeIndex) -> MutableElement { tree.handle(at: index) }

    public var name: String { read { $0.name } }

    public var namespace: String? { read { $0.namespace } }

    public var prefix: String? { read { $0.prefix } }

    public var text: String? { read { $0.text } }

    public func attribute(_ name: String) -> String? { read { $0.attribute(name) } }

    public func namespace(forPrefix prefix: String) -> String? { read { $0.namespace(forPrefix: prefix) } }

    public var namespacesInScope: NamespaceContext { read { $0.namespacesInScope } }

    public var parent: MutableElement? { read { $0.parent }.map(element) }

    public var root: MutableElement { element(at: tree.root) }

    public var firstChild: MutableElement? { read { $0.firstChild }.map(element) }

    public var nextSibling: MutableElement? { read { $0.nextSibling }.map(element) }

    public var childIndex: Int { read { $0.childIndex } }

    /// The attributes as they are now.
    public var attributes: [XMLAttribute] { read { $0.attributes } }

    /// The current child elements. The array does not change with the tree, so a loop over it may add and remove
    /// elements. Linear in their number; for the first alone, `firstChild` is cheaper.
    public var children: [MutableElement] {
        var children: [MutableElement] = []
        var child = view[index].firstChild
        while child != .none {
            children.append(element(at: child))
            child = view[child].next
        }
        return children
    }

    /// The child elements and the text between them, as they are now.
    public var content: [XMLContent<MutableElement>] {
        read { $0.content }.map { piece in
            switch piece {
            case .element(let node): .element(element(at: node))
            case .text(let text): .text(text)
            }
        }
    }

    public func child(_ name: String, namespace: ElementNamespace) -> MutableElement? {
        read { $0.child(name, namespace: namespace) }.map(element)
    }

    public func isSame(as other: MutableElement) -> Bool { self === other }

    /// Writes the element as XML to the end of `output`. An element that still waits for a namespace takes the
    /// context's default, as it would when added.
    public func write(
        to output: inout [UInt8], in context: NamespaceContext = .empty, format: XMLFormat = .compact
    ) {
        if tree.links.base[index.offset].inheritsNamespace, let namespace = context.defaultNamespace {
            let resolved = copy()
            resolved.resolveNamespace(as: namespace)
            resolved.read { XMLWriter.write($0, to: &output, in: context, format: format) }
        } else {
            read { XMLWriter.write($0, to: &output, in: context, format: format) }
        }
    }
}
