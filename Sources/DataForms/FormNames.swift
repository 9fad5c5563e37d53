// The names that forms are made of: as keys to read by, and as a vocabulary to write with. One list for both.

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
enum FormName: Int, CaseIterable {
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

    static let vocabulary = Vocabulary(allCases.map(\.name))

    static let keys = allCases.map(\.key)
}

/// Keys to read by.
enum FormNames {
    static let formTypeField: StaticString = "FORM_TYPE"

    // Each a constant of its own: cheaper to get at than by position.
    static let form = key(.form)
    static let title = key(.title)
    static let instructions = key(.instructions)
    static let field = key(.field)
    static let reported = key(.reported)
    static let item = key(.item)
    static let desc = key(.desc)
    static let required = key(.required)
    static let value = key(.value)
    static let option = key(.option)
    static let validate = key(.validate)
    static let basic = key(.basic)
    static let open = key(.open)
    static let range = key(.range)
    static let regex = key(.regex)
    static let listRange = key(.listRange)
    static let page = key(.page)
    static let section = key(.section)
    static let text = key(.text)
    static let fieldref = key(.fieldref)
    static let reportedref = key(.reportedref)
    static let media = key(.media)
    static let uri = key(.uri)
    static let type = key(.type)
    static let `var` = key(.var)

    static func key(_ name: FormName) -> NameKey { FormName.keys[name.rawValue] }
}
