// Data forms straight from section 5 of the language page, for the naive evaluator.

import QuerySyntax
import StanzaQuery

/// A `{jabber:x:data}x` element of a naive tree.
struct NaiveForm {
    enum Result {
        case form
        case value(String)
        case field(FormField)
    }

    private let tree: NaiveTree
    private let node: Int

    /// 5.1: a node that is not a data form contributes no result.
    init?(_ tree: NaiveTree, _ node: Int) {
        guard tree[node].name.isExactly("x"), tree[node].namespace.isExactly("jabber:x:data") else { return nil }
        self.tree = tree
        self.node = node
    }

    ///
    /// - Parameter name: Reads a name in the query.
    func result(of query: FormQuery, in syntax: QueryTree, _ name: (NamePiece) -> String) -> Result? {
        // 5.2: type and FORM_TYPE.
        if let type = query.type, !attribute("type", of: node).isExactly(syntax.text(in: type)) { return nil }
        if let formType = query.formType {
            let values = formLevelOrFirstItem("FORM_TYPE").map { children("value", of: $0) } ?? []
            guard let first = values.first, text(first).isExactly(syntax.text(in: formType)) else { return nil }
        }
        // 5.3: the index.
        let items = children("item", of: node)
        if let index = query.index, !items.indices.contains(index) { return nil }
        func place(_ name: String) -> Int? {
            query.index.map { field(name, in: items[$0]) } ?? formLevelOrFirstItem(name)
        }
        switch query.access {
        case .none: return .form  // 5.6
        case .value(let field):
            // 5.4: the first value, if it exists and is not empty.
            guard let first = place(name(field)).flatMap({ children("value", of: $0).first }) else { return nil }
            return text(first).isEmpty ? nil : .value(text(first))
        case .description(let field):
            guard let place = place(name(field)) else { return nil }
            return .field(completed(describe(place), ofItem: tree[place].parent != node))
        }
    }

    /// 5.2: form level first, then the first item; a field at form level hides the item's.
    private func formLevelOrFirstItem(_ name: String) -> Int? {
        field(name, in: node) ?? children("item", of: node).first.flatMap { field(name, in: $0) }
    }

    private func field(_ name: String, in parent: Int) -> Int? {
        children("field", of: parent).first { attribute("var", of: $0).isExactly(name) }
    }

    /// 5.5.
    private func describe(_ field: Int) -> FormField {
        var options = StringMap()
        for option in children("option", of: field) {
            guard let value = children("value", of: option).first else { continue }
            options[text(value)] = attribute("label", of: option) ?? text(value)
        }
        let description = children("desc", of: field).map(text).first { !$0.isEmpty }
        var result = FormField(
            attribute("var", of: field), label: attribute("label", of: field), description: description,
            isRequired: !children("required", of: field).isEmpty, values: children("value", of: field).map(text),
            options: options.map { FieldOption($0.key, label: $0.value) })
        result.typeName = attribute("type", of: field)
        return result
    }

    /// 5.5: the parts that the field of an item lacks come from `<reported/>`.
    private func completed(_ field: FormField, ofItem: Bool) -> FormField {
        guard ofItem, let header = children("reported", of: node).first,
            let reported = field.name.flatMap({ self.field($0, in: header) }).map(describe)
        else { return field }
        var field = field
        if field.typeName == nil { field.typeName = reported.typeName }
        if field.label == nil { field.label = reported.label }
        if field.description == nil { field.description = reported.description }
        if !field.isRequired { field.isRequired = reported.isRequired }
        if field.options.isEmpty { field.options = reported.options }
        return field
    }

    // MARK: The tree

    /// 5.2: only children in `jabber:x:data` belong to a form.
    private func children(_ name: String, of parent: Int) -> [Int] {
        tree[parent].children.filter {
            tree[$0].name.isExactly(name) && tree[$0].namespace.isExactly("jabber:x:data")
        }
    }

    private func attribute(_ name: String, of element: Int) -> String? {
        tree[element].attributes.first { $0.name.isExactly(name) }?.value
    }

    private func text(_ element: Int) -> String { tree[element].texts.joined() }
}
