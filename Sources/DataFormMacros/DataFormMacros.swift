// The declarations of the macros. StanzaMacros/Forms, in the compiler plugin of this package, expands them.

@_exported public import DataForms

/// Makes a structure a form: its conformance to `DataFormConvertible`.
///
/// ```swift
/// @DataForm("urn:xmpp:http:upload:0")
/// struct UploadLimits {
///     @Field("max-file-size") var maxFileSize: Int
/// }
/// ```
///
/// ```swift
/// let limits = try UploadLimits(form: element)
/// let form = try limits.dataForm(.result)
/// ```
///
/// Stored properties with ``Field(_:label:)`` are the fields of the form. Other stored properties need a value of their
/// own. The structure may belong to an actor; its forms are read and written anywhere.
///
/// - Parameter formType: The FORM_TYPE of such forms (XEP-0068).
@attached(
    extension, conformances: DataFormConvertible, names: named(formType), named(init(from:)), named(encode(to:)))
public macro DataForm(_ formType: StaticString) =
    #externalMacro(module: "StanzaMacros", type: "DataFormMacro")

/// Makes a stored property a field of the structure's form.
///
/// | type of the property | in the form |
/// | --- | --- |
/// | `Value`, a `FieldValue` | has to have one value: with several, such as the lines of a `text-multi`, it is refused; without one, and where the property has a value in the source, it keeps that |
/// | `Value?` | may be missing or empty; several values are refused |
/// | `[Value]` | has any number of values; a field that is missing has none |
/// | `[Value]?` | distinguishes a missing field from an empty one |
///
/// The type counts, however it is written: `Swift.Optional<Value>`, and an alias of `Value?`, may be missing, too.
///
/// A form to fill in gets the types of the fields, the options of enumerations, and a mark at the mandatory ones.
///
/// - Parameters:
///   - name: The field's name, its `var`; without it, the name of the property.
///   - label: The text that a form to fill in shows in place of the name.
@attached(peer)
public macro Field(_ name: StaticString? = nil, label: StaticString? = nil) =
    #externalMacro(module: "StanzaMacros", type: "FieldMacro")
