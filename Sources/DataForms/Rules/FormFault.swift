// Faults of a form itself, for its author: rules of the specifications that it breaks. The texts state how this module
// still reads the form.

/// A rule of the specifications that a form breaks. The description states how the module still reads the form.
public struct FormFault: Error, Sendable, Hashable {
    /// The name of the field; `nil` for one without name, and for faults of the whole form.
    public let field: String?
    public let rule: Rule

    public enum Rule: Sendable, Hashable {
        // XEP-0004
        /// The form's type is missing or unknown.
        case unknownType(String?)
        /// A field without name that is not `fixed`.
        case nameless
        /// Several fields of one name.
        case repeatedField
        /// The type of a field is unknown.
        case unknownFieldType(String)
        /// Several values in a field whose type has one.
        case severalValues(FieldType)
        /// A value of a boolean field that is not `0`, `1`, `false` or `true` (XEP-0004 §3.3).
        case wrongBoolean(String)
        /// Options in a field whose type has none.
        case unexpectedOptions(FieldType)
        /// Two options with the same value or the same label.
        case repeatedOption(FieldOption)
        /// An option with no value, or several.
        case optionValues(count: Int)
        /// A form that cancels has fields.
        case fieldsInCancel
        /// Several elements where one is allowed, such as titles, headers, or validations of a field.
        case repeatedElement(String)
        /// Items without a header.
        case itemsWithoutHeader
        /// A header without fields.
        case emptyHeader
        /// An item lacks a field that the header has.
        case incompleteItem(Int)
        /// An item has a field that the header lacks.
        case unknownColumn(item: Int)
        /// The header comes after an item.
        case headerAfterItem
        /// A field of the header has a value.
        case valueInHeader
        /// A form with a header or items has a field of its own besides `FORM_TYPE`.
        case fieldBesideTable
        /// A header or items in a form that is not of type `result`.
        case tableOutsideResult(DataForm.Kind)
        /// `<required/>` is not empty.
        case requiredWithContent
        // XEP-0068
        /// Several `FORM_TYPE`s, or several values of it.
        case severalFormTypes
        /// A `FORM_TYPE` that is not hidden, in a form or result.
        case formTypeNotHidden
        /// A `FORM_TYPE` without value.
        case formTypeWithoutValue
        /// The FORM_TYPE is registered, and the field is not. Its name does not mark it as unregistered either: by a
        /// namespace in Clark notation, or by `x-` as older versions had it.
        case unregisteredField(formType: String)
        // XEP-0122
        /// A datatype without a prefix, or one with `xs:` that XML Schema does not have.
        case wrongDatatype(String)
        /// Several methods of validation.
        case severalMethods
        /// A method of validation in a type of field that it is not for (XEP-0122 §4.6, table "Validation Methods and
        /// Field Types").
        case unsuitedMethod(String, FieldType)
        /// The element of a method has attributes or content that it must not have (XEP-0122 §3.2).
        case methodWithContent(String)
        /// A range for a datatype without order.
        case unorderedRange(datatype: String)
        /// A bound that is not of the datatype, or a lower bound above the upper one.
        case wrongBounds(min: String?, max: String?)
        /// A pattern that is not a POSIX extended regular expression.
        case wrongPattern(String, message: String)
        /// Bounds for the number of values of a field that is not `list-multi`.
        case unexpectedListRange(FieldType)
        /// Bounds for the number of values that are not positive numbers, or the wrong way round.
        case wrongListRange
        /// Bounds that require more values than the field has options.
        case unreachableMinimum(Int, options: Int)
        // XEP-0141
        /// The layout refers to a missing field.
        case danglingReference
        /// The layout refers to a field, or the table, more than once.
        case repeatedReference
        /// The layout has a reference that names no field.
        case namelessReference
        /// A section without a reference.
        case emptySection(label: String?)
        /// Sections are nested too deeply.
        case deepSection
        // XEP-0221
        /// The address of a medium without its type.
        case mediaWithoutType
        /// The type of an address that is not a MIME type.
        case wrongMediaType(String)
        /// A medium without an address.
        case mediaWithoutAddress
        /// Height or width that is not a number of pixels.
        case wrongMediaSize(attribute: String, value: String)
    }

    init(_ field: String?, _ rule: Rule) {
        self.field = field
        self.rule = rule
    }
}

extension FormFault: CustomStringConvertible {
    /// A sentence with the fault, the correct form, and how this module reads it.
    public var description: String {
        switch rule {
        case .unknownType(nil): "The form has no type: expected form, submit, cancel or result."
        case .unknownType(let name?):
            "The form's type is '\(name.shown())': expected form, submit, cancel or result."
        case .nameless:
            "A field has no name: expected the attribute 'var' on all that are not fixed; it is not submitted."
        case .repeatedField: "There are several fields \(subject): expected one; the first counts."
        case .unknownFieldType(let name):
            "The field \(subject) has the type '\(name.shown())', which is unknown: it is read as text-single."
        case .severalValues(let type):
            "The field \(subject) of type \(type.rawValue) has several values: expected one; the first counts."
        case .wrongBoolean(let value):
            "The field \(subject) of type boolean has the value '\(value.shown())': expected 0, 1, false or true; "
                + "it is shown as written."
        case .unexpectedOptions(let type):
            "The field \(subject) of type \(type.rawValue) has options: expected them in lists only; they are ignored."
        case .repeatedOption(let option):
            "The field \(subject) has several options '\((option.label ?? option.value).shown())': "
                + "expected different values and labels; the first counts."
        case .optionValues(0): "The field \(subject) has an option without value: expected one; the option is left out."
        case .optionValues(let count):
            "The field \(subject) has an option with \(count) values: expected one; the first counts."
        case .fieldsInCancel: "A form of type cancel has fields: expected none; they are ignored."
        case .repeatedElement(let name):
            "There are several elements <\(name)/>\(field.map { " in the field '\($0.shown())'" } ?? ""): "
                + "expected one; the first counts."
        case .itemsWithoutHeader:
            "There are items, but no <reported/>: expected a header that describes their fields; "
                + "each field is read as written."
        case .emptyHeader: "The header <reported/> has no fields: expected at least one."
        case .incompleteItem(let item):
            "The item \(item + 1) lacks the field \(subject) of the header: expected all of them; it is shown as empty."
        case .unknownColumn(let item):
            "The item \(item + 1) has a field \(subject) that the header lacks: expected none; it is not shown."
        case .headerAfterItem:
            "The header <reported/> comes after an item: expected it before all of them; it counts nevertheless."
        case .valueInHeader: "The field \(subject) of the header has a value: expected none; it is not shown."
        case .fieldBesideTable:
            "The field \(subject) is beside a table: expected none but FORM_TYPE; it is a field of the form itself."
        case .tableOutsideResult(let type):
            "A form of type \(type.rawValue) has a table: expected <reported/> and <item/> in forms of type result only; "
                + "it is shown nevertheless."
        case .requiredWithContent:
            "The element <required/> of the field \(subject) is not empty: expected nothing in it; it is ignored."
        case .severalFormTypes: "There are several values of FORM_TYPE: expected one; the first counts."
        case .formTypeNotHidden:
            "The field FORM_TYPE is not hidden: expected type='hidden' in a form or result; it is a field like any other."
        case .formTypeWithoutValue: "The field FORM_TYPE has no value: expected one; it is ignored."
        case .unregisteredField(let formType):
            "The field \(subject) is not registered for '\(formType.shown())': expected a registered name, or one in "
                + "Clark notation, {namespace}name; its type is the one that is written."
        case .wrongDatatype(let name):
            "The field \(subject) has the datatype '\(name.shown())': expected one of XML Schema such as xs:integer, or "
                + "one with another prefix; its values are read as text."
        case .severalMethods: "The field \(subject) has several methods of validation: expected one; the first counts."
        case .unsuitedMethod(let method, let type):
            "The field \(subject) of type \(type.rawValue) has the validation method \(method): expected another field type "
                + "or method; it counts nevertheless."
        case .methodWithContent("regex"):
            "The element <regex/> of the field \(subject) has attributes or child elements: expected a pattern alone; "
                + "they are ignored."
        case .methodWithContent("range"):
            "The element <range/> of the field \(subject) has content: expected 'min' and 'max' only; it is ignored."
        case .methodWithContent(let name):
            "The element <\(name)/> of the field \(subject) has attributes or content: expected none; they are ignored."
        case .unorderedRange(let datatype):
            "The field \(subject) has a range, but the values of \(datatype.shown()) have no order: it is ignored."
        case .wrongBounds(let min, let max):
            "The range of the field \(subject), \((min ?? "").shown()) to \((max ?? "").shown()), is invalid: "
                + "expected values of the datatype, the lower first; it is ignored."
        case .wrongPattern(let pattern, let message):
            "The pattern \(pattern.shown()) of the field \(subject) is not a POSIX extended regular expression: "
                + "\(message.printable()); it is ignored."
        case .unexpectedListRange(let type):
            "The field \(subject) of type \(type.rawValue) has bounds for the number of its values: "
                + "expected them in list-multi only; they are ignored."
        case .wrongListRange:
            "The bounds for the number of values of the field \(subject) are invalid: "
                + "expected positive whole numbers, the lower first; they are ignored."
        case .unreachableMinimum(let min, let options):
            "The field \(subject) requires at least \(min) values and offers \(options): expected a minimum that can be "
                + "reached; it is ignored."
        case .danglingReference: "The layout refers to the field \(subject), which the form lacks: it is left out."
        case .repeatedReference:
            "The layout refers to \(field == nil ? "the table" : "the field \(subject)") more than once: the first counts."
        case .namelessReference:
            "The layout has a reference without 'var': expected the name of a field; it is left out."
        case .emptySection(let label):
            "The section \(label.map { "'\($0.shown())'" } ?? "without label") refers to nothing: "
                + "expected a reference to a field or the table; it is shown without."
        case .deepSection:
            "Sections are nested more than \(FormSection.maximumDepth) deep: expected fewer; deeper ones are left out."
        case .wrongMediaType(let type):
            "A medium of the field \(subject) has the type '\(type.shown())': expected a MIME type, such as image/png."
        case .mediaWithoutAddress:
            "A medium of the field \(subject) has no address: expected an element <uri/>; there is nothing to show."
        case .wrongMediaSize(let attribute, let value):
            "The \(attribute.shown()) '\(value.shown())' of a medium of the field \(subject) is invalid: "
                + "expected a whole number of pixels up to \(FieldMedia.maximumSize); it is ignored."
        case .mediaWithoutType: "A medium of the field \(subject) has an address without type: expected a MIME type."
        }
    }

    private var subject: String { field.map { "'\($0.shown())'" } ?? "without name" }
}
