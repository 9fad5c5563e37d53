// Reads the fields of a form as Swift types.

import FormModel

/// Decodes the fields of a form by name and type. It reads a form in place, and touches only the requested fields.
public struct FieldDecoder {
    private enum Source {
        case place(FormPlace)
        case form(DataForm)
    }

    private let source: Source

    init(_ place: FormPlace) { source = .place(place) }
    init(_ form: DataForm) { source = .form(form) }

    /// Returns the value of a required field.
    ///
    /// This function reads exactly one value. A field with several values, such as the lines of a `text-multi`, is an
    /// error here; read it with `decodeAll`.
    ///
    /// - Throws: `FormDecodingError` if the field or its value is missing, if the field has several values, or if the
    ///   value is not of that type.
    public func decode<Value: FieldValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(FormDecodingError) -> Value {
        guard let value = try decodeIfPresent(name, as: type) else { throw .missing(field: name) }
        return value
    }

    /// Returns the value of a field; `nil` when field or value is missing, or, except for text, when it is empty.
    ///
    /// - Throws: `FormDecodingError` when there are several values, or the value is not of that type.
    public func decodeIfPresent<Value: FieldValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(FormDecodingError) -> Value? {
        guard let texts = texts(of: name), let text = texts.first else { return nil }
        if texts.count > 1 { throw .severalValues(field: name, count: texts.count) }
        if let value = Value(fieldValue: text) { return value }
        if text.isEmpty { return nil }
        throw .invalid(field: name, expected: Value.expectation)
    }

    /// Returns the value of a field; a default when field or value is missing, or, except for text, when it is empty.
    ///
    /// - Throws: `FormDecodingError` when there are several values, or the value is not of that type.
    public func decode<Value: FieldValue>(
        _ name: String, default other: Value
    ) throws(FormDecodingError) -> Value {
        try decodeIfPresent(name) ?? other
    }

    /// Returns all values of a field, or a default when the field is missing.
    ///
    /// - Throws: `FormDecodingError` when one of the values is not of that type.
    public func decodeAll<Value: FieldValue>(
        _ name: String, default others: [Value]
    ) throws(FormDecodingError) -> [Value] {
        try decodeAllIfPresent(name) ?? others
    }

    /// Returns all values of a field, or an empty array when it is missing.
    ///
    /// - Throws: `FormDecodingError` when one of the values is not of that type.
    public func decodeAll<Value: FieldValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(FormDecodingError) -> [Value] {
        try decodeAllIfPresent(name, as: type) ?? []
    }

    /// Returns all values of a field, or `nil` when the field is missing.
    ///
    /// - Throws: `FormDecodingError` when one of the values is not of that type.
    public func decodeAllIfPresent<Value: FieldValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(FormDecodingError) -> [Value]? {
        guard let texts = texts(of: name) else { return nil }
        var values: [Value] = []
        for text in texts {
            guard let value = Value(fieldValue: text) else {
                throw .invalid(field: name, expected: Value.expectation)
            }
            values.append(value)
        }
        return values
    }

    /// The FORM_TYPE. The first of several values counts, as in queries.
    var formType: String? { texts(of: FormField.formTypeName)?.first }

    private func texts(of name: String) -> [String]? {
        switch source {
        case .place(let place):
            place.reader.flatMap { reader in reader.field(name, item: nil).map { reader.values(of: $0.field) } }
        case .form(let form): form.field(name)?.values
        }
    }
}

extension FormPlace {
    fileprivate var reader: FormReader? { FormReader(view, node) }
}

/// The reason why a form could not be read as a Swift type. It holds no values of fields, which may be secret.
public enum FormDecodingError: Error, Sendable, Hashable {
    /// The element is not a form.
    case notAForm
    /// The form has another FORM_TYPE, or none.
    case wrongFormType(String?, expected: String)
    /// A required field or its value is missing.
    case missing(field: String)
    /// A field that must have one value has several.
    case severalValues(field: String, count: Int)
    /// A value is not of its type.
    case invalid(field: String, expected: String)
}

extension FormDecodingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAForm: "expected an element {jabber:x:data}x"
        case .wrongFormType(let found, let expected):
            "the form has \(found.map { "the FORM_TYPE '\($0.shown())'" } ?? "no FORM_TYPE"); expected '\(expected.shown())'"
        case .missing(let field): "the field '\(field.shown())' has no value: expected one"
        case .severalValues(let field, let count):
            "the field '\(field.shown())' has \(count) values: expected one; read an array"
        case .invalid(let field, let expected):
            "the value of the field '\(field.shown())' is of another type; expected \(expected)"
        }
    }
}
