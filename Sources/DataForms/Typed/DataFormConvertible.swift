// Swift types that are forms: a struct with a property for each field.

import FormModel

/// A type that can be read from a form and written as one.
///
/// ```swift
/// struct UploadLimits: DataFormConvertible {
///     static let formType = "urn:xmpp:http:upload:0"
///     var maxFileSize: Int
///
///     init(from fields: FieldDecoder) throws(FormDecodingError) {
///         maxFileSize = try fields.decode("max-file-size")
///     }
///
///     func encode(to form: inout DataForm) throws(FormEncodingError) {
///         try form.encode(maxFileSize, for: "max-file-size")
///     }
/// }
/// ```
public protocol DataFormConvertible {
    /// The FORM_TYPE of such forms.
    static var formType: String { get }

    /// Reads the fields.
    init(from fields: FieldDecoder) throws(FormDecodingError)

    /// Sets the fields.
    func encode(to form: inout DataForm) throws(FormEncodingError)
}

extension DataFormConvertible {
    /// Reads a form in place. It compares the FORM_TYPE code point by code point; that field may be of any type.
    ///
    /// - Throws: `FormDecodingError` for an element that is not a form, another FORM_TYPE, and fields that do not fit.
    public init(form element: some DataFormNode) throws(FormDecodingError) {
        let place = element._formPlace
        defer { withExtendedLifetime(element) {} }
        guard FormReader(place.view, place.node) != nil else { throw .notAForm }
        try self.init(checking: FieldDecoder(place))
    }

    /// Reads a form that is a value.
    ///
    /// - Throws: `FormDecodingError` for another FORM_TYPE, and fields that do not fit.
    public init(form: DataForm) throws(FormDecodingError) {
        try self.init(checking: FieldDecoder(form))
    }

    private init(checking fields: FieldDecoder) throws(FormDecodingError) {
        let found = fields.formType
        guard found.isIdentical(to: Self.formType) else { throw .wrongFormType(found, expected: Self.formType) }
        try self.init(from: fields)
    }

    /// Returns the form, with FORM_TYPE and the fields that `encode(to:)` sets.
    ///
    /// - Throws: `FormEncodingError` for a value without a text, such as a date after the year 9999.
    public func dataForm(_ kind: DataForm.Kind) throws(FormEncodingError) -> DataForm {
        var form = DataForm(kind, formType: Self.formType)
        try encode(to: &form)
        return form
    }
}

extension DataForm {
    /// Sets a field to a value. In a form to fill in, the field gets the value's type and options, and the given label
    /// and `isRequired`; submissions and results have none of these (XEP-0004 §3.2).
    ///
    /// Without a value, a form to fill in gets an empty field, and every other form none.
    ///
    /// - Throws: `FormEncodingError` for a value without a text, such as a date after the year 9999.
    public mutating func encode<Value: FieldValue>(
        _ value: Value?, for name: String, label: String? = nil, isRequired: Bool = false
    ) throws(FormEncodingError) {
        let values = try texts(of: value.map { [$0] }, name)
        encode(values, Value.fieldType, Value.fieldOptions, name, label, isRequired)
    }

    /// Sets a field to several values. An empty array makes an empty field; `nil` means the same as for one value.
    ///
    /// - Throws: `FormEncodingError` for a value without a text, such as a date after the year 9999.
    public mutating func encode<Value: FieldValue>(
        _ values: [Value]?, for name: String, label: String? = nil, isRequired: Bool = false
    ) throws(FormEncodingError) {
        let values = try texts(of: values, name)
        encode(values, Value.fieldType.forSeveralValues, Value.fieldOptions, name, label, isRequired)
    }

    private func texts(of values: [some FieldValue]?, _ name: String) throws(FormEncodingError) -> [String]? {
        do { return try values?.map { try $0.fieldValue } } catch {
            throw FormEncodingError(field: name, reason: "\(error)")
        }
    }

    private mutating func encode(
        _ values: [String]?, _ fieldType: FieldType, _ options: @autoclosure () -> [FieldOption], _ name: String,
        _ label: String?, _ isRequired: Bool
    ) {
        if kind == .form {
            setField(
                FormField(
                    name, fieldType, label: label, isRequired: isRequired, values: values ?? [], options: options()))
        } else if let values {
            setField(FormField(name, values: values))
        } else {
            removeField(name)
        }
    }
}

extension FieldType {
    /// The corresponding type of a field for several values.
    fileprivate var forSeveralValues: FieldType {
        switch self {
        case .jidSingle: .jidMulti
        case .listSingle: .listMulti
        case .hidden, .jidMulti, .listMulti, .textMulti: self
        case .boolean, .fixed, .textPrivate, .textSingle: .textMulti
        }
    }
}

/// The reason why a Swift value could not be written as a form.
public struct FormEncodingError: Error, Sendable, Hashable {
    /// The field whose value has no text.
    public let field: String
    /// The error of the value.
    public let reason: String
}

extension FormEncodingError: CustomStringConvertible {
    public var description: String { "the field '\(field.shown())' cannot be written: \(reason.shown())" }
}
