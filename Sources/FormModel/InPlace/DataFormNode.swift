// Makes reading forms the same for frozen and editable elements.

public import XMLTree

/// An element that a form can be read from: an `Element` or a `MutableElement`.
public protocol DataFormNode: ReadableElement {
    /// Where the element is stored, for the modules of this package.
    var _formPlace: FormPlace { get }
}

/// The place where an element is stored. It has no public members.
public struct FormPlace {
    private enum Owner {
        case frozen(Element)
        case editable(MutableElement)
    }

    private let owner: Owner

    fileprivate init(_ element: Element) { owner = .frozen(element) }
    fileprivate init(_ element: MutableElement) { owner = .editable(element) }

    package var view: TreeView {
        switch owner {
        case .frozen(let element): element.view
        case .editable(let element): element.view
        }
    }

    package var node: NodeIndex {
        switch owner {
        case .frozen(let element): element.index
        case .editable(let element): element.index
        }
    }

    /// An element of the same tree; a frozen copy if the tree is editable.
    func frozenElement(at node: NodeIndex) -> Element {
        switch owner {
        case .frozen(let element): element.element(at: node)
        case .editable(let element): element.element(at: node).freeze()
        }
    }
}

extension Element: DataFormNode {
    public var _formPlace: FormPlace { FormPlace(self) }
}

extension MutableElement: DataFormNode {
    public var _formPlace: FormPlace { FormPlace(self) }
}
