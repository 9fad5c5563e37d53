// Reads forms into values.

import XMLTree

extension DataForm {
    /// Reads a form; `nil` when the element is not a `{jabber:x:data}x`. If a child element that may occur once is
    /// repeated, the first counts. Linear in the form.
    public init?(_ element: some DataFormNode) {
        guard let form = DataFormElement(element) else { return nil }
        self.init(form)
    }

    /// Reads a form in a tree.
    public init(_ form: DataFormElement<some DataFormNode>) {
        let place = form.element._formPlace
        // A copy of an editable tree: later changes of the tree do not affect this form.
        let element = place.frozenElement(at: place.node)
        self.init(reading: element._formPlace)
        origin = element
    }

    /// Reads a form, and does not remember it.
    package init(reading place: FormPlace) {
        self.init(.form)
        let view = place.view
        rawKind = view.attributeString(.type, of: place.node)
        var child = view[place.node].firstChild
        while child != .none {
            switch view[child].key {
            case FormNames.title where title == nil: title = view.textString(of: child)
            case FormNames.instructions: instructions.append(view.textString(of: child))
            case FormNames.field: fields.append(place.readField(child))
            case FormNames.reported where reported == nil: reported = place.readFields(of: child)
            case FormNames.item: items.append(FormItem(fields: place.readFields(of: child)))
            case FormNames.page: pages.append(FormSection(view, child))
            case FormNames.title, FormNames.reported: break
            default: extensions.append(place.frozenElement(at: child))
            }
            child = view[child].next
        }
    }
}

extension FormPlace {
    /// The fields of the header, or of an item.
    fileprivate func readFields(of parent: NodeIndex) -> [FormField] {
        var fields: [FormField] = []
        var child = view[parent].firstChild
        while child != .none {
            if view[child].key == FormNames.field { fields.append(readField(child)) }
            child = view[child].next
        }
        return fields
    }
}
