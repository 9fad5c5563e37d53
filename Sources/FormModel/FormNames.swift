// The names of the elements and attributes of forms: one list, as keys for reading and as a vocabulary for writing.

import XMLTree

/// The namespaces of the specifications.
enum FormNamespace {
    /// XEP-0004.
    static let form = "jabber:x:data"
    /// XEP-0122.
    static let validation = "http://jabber.org/protocol/xdata-validate"
    /// XEP-0141.
    static let layout = "http://jabber.org/protocol/xdata-layout"
    /// XEP-0221.
    static let media = "urn:xmpp:media-element"
}

/// An element or attribute of a form.
package enum FormName: Int, CaseIterable {
    // XEP-0004
    case form, title, instructions, field, reported, item, desc, required, value, option
    // XEP-0122
    case validate, basic, open, range, regex, listRange
    // XEP-0141
    case page, section, text, fieldref, reportedref
    // XEP-0221
    case media, uri
    // Attributes
    case type, `var`, label, datatype, min, max, height, width

    private var name: Vocabulary.Name {
        switch self {
        case .form: .element("x", namespace: FormNamespace.form)
        case .title, .instructions, .field, .reported, .item, .desc, .required, .value, .option:
            .element("\(self)", namespace: FormNamespace.form)
        case .validate, .basic, .open, .range, .regex: .element("\(self)", namespace: FormNamespace.validation)
        case .listRange: .element("list-range", namespace: FormNamespace.validation)
        case .page, .section, .text, .fieldref, .reportedref: .element("\(self)", namespace: FormNamespace.layout)
        case .media, .uri: .element("\(self)", namespace: FormNamespace.media)
        case .type, .var, .label, .datatype, .min, .max, .height, .width: .attribute("\(self)")
        }
    }

    /// The key that elements and attributes are found by.
    private var key: NameKey {
        switch name {
        case .element(let local, let namespace): NameKey(.namespace, namespace) + NameKey(.local, local)
        case .attribute(let local): NameKey(.qualified, local)
        }
    }

    package static let vocabulary = Vocabulary(allCases.map(\.name))

    package static let keys = allCases.map(\.key)
}

/// Keys to read by.
package enum FormNames {
    package static let formTypeField: StaticString = "FORM_TYPE"

    // Constants, because an access by position costs more.
    package static let form = key(.form)
    package static let title = key(.title)
    package static let instructions = key(.instructions)
    package static let field = key(.field)
    package static let reported = key(.reported)
    package static let item = key(.item)
    package static let desc = key(.desc)
    package static let required = key(.required)
    package static let value = key(.value)
    package static let option = key(.option)
    package static let validate = key(.validate)
    package static let basic = key(.basic)
    package static let open = key(.open)
    package static let range = key(.range)
    package static let regex = key(.regex)
    package static let listRange = key(.listRange)
    package static let page = key(.page)
    package static let section = key(.section)
    package static let text = key(.text)
    package static let fieldref = key(.fieldref)
    package static let reportedref = key(.reportedref)
    package static let media = key(.media)
    package static let uri = key(.uri)
    package static let type = key(.type)
    package static let `var` = key(.var)

    package static func key(_ name: FormName) -> NameKey { FormName.keys[name.rawValue] }
}
