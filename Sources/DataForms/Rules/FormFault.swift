// What is wrong with a form as such, for those who made it: rules of the specifications that it breaks. Each says how this
// module reads the form all the same.

/// A rule of the specifications that a form breaks. It is read all the same, as the description says.
public struct FormFault: Error, Sendable, Hashable {
    /// The name of the field; `nil` for one without name, and for what concerns the whole form.
    public let field: String?
    public let rule: Rule

    public enum Rule: Sendable, Hashable {
        // XEP-0004
        /// The form's type is missing or not known.
        case unknownType(String?)
        /// A field without name that is not `fixed`.
        case nameless
        /// Several fields of one name.
        case repeatedField
        /// The type of a field is not known.
        case unknownFieldType(String)
        /// Several values, in a type of field that has one.
        case severalValues(FieldType)
        /// Options, in a type of field that has none.
        case unexpectedOptions(FieldType)
        /// Two options with the same value or the same label.
        case repeatedOption(FieldOption)
        /// An option with no value, or several.
        case optionValues(count: Int)
        /// A form that cancels has fields.
        case fieldsInCancel
        /// Several titles or headers.
        case repeatedElement(String)
        /// An item lacks a field that the header has.
        case incompleteItem(Int)
        /// An item has a field that the header lacks.
        case unknownColumn(item: Int)
        // XEP-0068
        /// Several `FORM_TYPE`s, or several values of it.
        case severalFormTypes
        /// A `FORM_TYPE` that is not hidden, in a form or result.
        case formTypeNotHidden
        // XEP-0122
        /// Several methods of validation.
        case severalMethods
        /// A range for a datatype without order.
        case unorderedRange(datatype: String)
        /// A bound that is not of the datatype, or a lower one above the upper one.
        case wrongBounds(min: String?, max: String?)
        /// A pattern that is no POSIX extended regular expression.
        case wrongPattern(String, message: String)
        /// Bounds for the number of values of a field that is not `list-multi`.
        case unexpectedListRange(FieldType)
        /// Bounds for the number of values that are no positive numbers, or the wrong way round.
        case wrongListRange
        // XEP-0141
        /// The layout refers to a field that there is not.
        case danglingReference
        /// The layout refers to a field, or the table, more than once.
        case repeatedReference
        // XEP-0221
        /// The address of a medium without its type.
        case mediaWithoutType
    }

    init(_ field: String?, _ rule: Rule) {
        self.field = field
        self.rule = rule
    }
}

extension FormFault: CustomStringConvertible {
    /// A sentence that says what is wrong, what would be right, and what is made of it.
    public var description: String {
        switch rule {
        case .unknownType(nil): "The form has no type: expected form, submit, cancel or result."
        case .unknownType(let name?):
            "The form's type is '\(name.shown())': expected form, submit, cancel or result."
        case .nameless:
            "A field has no name: expected the attribute 'var' on all that are not fixed; it is not submitted."
        case .repeatedField: "There are several fields \(subject): expected one; the first counts."
        case .unknownFieldType(let name):
            "The field \(subject) has the type '\(name.shown())', which is not known: it is read as text-single."
        case .severalValues(let type):
            "The field \(subject) of type \(type.rawValue) has several values: expected one; the first counts."
        case .unexpectedOptions(let type):
            "The field \(subject) of type \(type.rawValue) has options: expected them in lists only; they do not count."
        case .repeatedOption(let option):
            "The field \(subject) has several options '\((option.label ?? option.value).shown())': "
                + "expected different values and labels; the first counts."
        case .optionValues(0): "The field \(subject) has an option without value: expected one; the option is left out."
        case .optionValues(let count):
            "The field \(subject) has an option with \(count) values: expected one; the first counts."
        case .fieldsInCancel: "A form of type cancel has fields: expected none; they do not count."
        case .repeatedElement(let name): "There are several elements <\(name)/>: expected one; the first counts."
        case .incompleteItem(let item):
            "The item \(item + 1) lacks the field \(subject) of the header: expected all of them; it is shown as empty."
        case .unknownColumn(let item):
            "The item \(item + 1) has a field \(subject) that the header lacks: expected none; it is not shown."
        case .severalFormTypes: "There are several values of FORM_TYPE: expected one; the first counts."
        case .formTypeNotHidden:
            "The field FORM_TYPE is not hidden: expected type='hidden' in a form or result; it is a field like any other."
        case .severalMethods: "The field \(subject) has several methods of validation: expected one; the first counts."
        case .unorderedRange(let datatype):
            "The field \(subject) has a range, but the values of \(datatype.shown()) have no order: it does not count."
        case .wrongBounds(let min, let max):
            "The range of the field \(subject), \((min ?? "").shown()) to \((max ?? "").shown()), is none: "
                + "expected values of the datatype, the lower first; it does not count."
        case .wrongPattern(let pattern, let message):
            "The pattern \(pattern.shown()) of the field \(subject) is no POSIX extended regular expression: "
                + "\(message.shown()); it does not count."
        case .unexpectedListRange(let type):
            "The field \(subject) of type \(type.rawValue) has bounds for the number of its values: "
                + "expected them in list-multi only; they do not count."
        case .wrongListRange:
            "The bounds for the number of values of the field \(subject) are none: "
                + "expected positive whole numbers, the lower first; what is wrong does not count."
        case .danglingReference: "The layout refers to the field \(subject), which there is not: it is left out."
        case .repeatedReference:
            "The layout refers to \(field == nil ? "the table" : "the field \(subject)") more than once: the first counts."
        case .mediaWithoutType: "A medium of the field \(subject) has an address without type: expected a MIME type."
        }
    }

    private var subject: String { field.map { "'\($0.shown())'" } ?? "without name" }
}
