// Faults of a form itself, for its author: rules of the specifications that it breaks. FormFault+Text.swift has the
// texts, which state how this module still reads the form.

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
