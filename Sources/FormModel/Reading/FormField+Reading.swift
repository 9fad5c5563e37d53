// Reads fields into values (XEP-0004 §3.2, language rule 5.5).

import XMLTree

extension FormField {
    /// Reads a field; `nil` when the element is not a `{jabber:x:data}field`.
    public init?(_ element: some DataFormNode) {
        let place = element._formPlace
        defer { withExtendedLifetime(element) {} }
        guard place.view[place.node].key == FormNames.field else { return nil }
        self = place.readField(place.node)
    }
}

extension FormPlace {
    /// A field; an item's field takes missing properties from the table's header.
    package func field(_ place: FormReader.FieldPlace) -> FormField {
        let field = readField(place.field)
        return place.reported.map { field.completed(by: readField($0)) } ?? field
    }

    /// Reads a field. If a child element that may occur once is repeated, the first counts; an empty `<desc/>` counts
    /// as absent.
    func readField(_ node: NodeIndex) -> FormField {
        let view = view
        var field = FormField(view.attributeString(.var, of: node))
        field.typeName = view.attributeString(.type, of: node)
        field.label = view.attributeString(.label, of: node)
        var child = view[node].firstChild
        while child != .none {
            switch view[child].key {
            case FormNames.value: field.values.append(view.textString(of: child))
            case FormNames.option: view.option(child).map { field.options.append($0) }
            case FormNames.required: field.isRequired = true
            case FormNames.desc where field.description == nil && view.hasText(child):
                field.description = view.textString(of: child)
            case FormNames.validate where field.validation == nil: field.validation = FieldValidation(view, child)
            case FormNames.media where field.media == nil: field.media = FieldMedia(view, child)
            case FormNames.desc, FormNames.validate, FormNames.media: break
            default: field.extensions.append(frozenElement(at: child))
            }
            child = view[child].next
        }
        return field
    }
}

extension TreeView {
    /// An option without a `<value/>` is ignored; of several values the first counts.
    fileprivate func option(_ option: NodeIndex) -> FieldOption? {
        var child = self[option].firstChild
        while child != .none {
            if self[child].key == FormNames.value {
                return FieldOption(textString(of: child), label: attributeString(.label, of: option))
            }
            child = self[child].next
        }
        return nil
    }
}
