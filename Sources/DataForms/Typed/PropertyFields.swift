// Fields as @DataForm reads and writes them. The macro sees a type as it is written, and that may be an alias. So the
// compiler chooses one of these functions by the type itself.

/// A name for the macro `@DataForm`, which no type of a program hides.
public typealias _DataFormDecoder = FieldDecoder
/// A name for the macro `@DataForm`, which no type of a program hides.
public typealias _DataFormDecodingError = FormDecodingError
/// A name for the macro `@DataForm`, which no type of a program hides.
public typealias _DataFormEncodingError = FormEncodingError
/// A name for the macro `@DataForm`, which no type of a program hides.
public typealias _DataForm = DataForm

extension FieldDecoder {
    /// Reads a property of one value. For the macro `@DataForm`.
    public func _property<Value: FieldValue>(_ name: String) throws(FormDecodingError) -> Value {
        try decode(name)
    }

    /// Reads a property that may be missing. For the macro `@DataForm`.
    public func _property<Value: FieldValue>(_ name: String) throws(FormDecodingError) -> Value? {
        try decodeIfPresent(name)
    }

    /// Reads a property of several values. For the macro `@DataForm`.
    public func _property<Value: FieldValue>(_ name: String) throws(FormDecodingError) -> [Value] {
        try decodeAll(name)
    }

    /// Reads a property of several values that may be missing. For the macro `@DataForm`.
    public func _property<Value: FieldValue>(_ name: String) throws(FormDecodingError) -> [Value]? {
        try decodeAllIfPresent(name)
    }

    /// Reads a property of one value that has a value in the source. For the macro `@DataForm`.
    public func _property<Value: FieldValue>(
        _ name: String, default other: Value
    ) throws(FormDecodingError) -> Value {
        try decode(name, default: other)
    }

    /// Reads a property that may be missing: then it is `nil`, whatever its value in the source is. For the macro
    /// `@DataForm`.
    public func _property<Value: FieldValue>(
        _ name: String, default other: Value?
    ) throws(FormDecodingError) -> Value? {
        try decodeIfPresent(name)
    }

    /// Reads a property of several values that has a value in the source. For the macro `@DataForm`.
    public func _property<Value: FieldValue>(
        _ name: String, default others: [Value]
    ) throws(FormDecodingError) -> [Value] {
        try decodeAll(name, default: others)
    }

    /// Reads a property of several values that may be missing: then it is `nil`, whatever its value in the source is.
    /// For the macro `@DataForm`.
    public func _property<Value: FieldValue>(
        _ name: String, default others: [Value]?
    ) throws(FormDecodingError) -> [Value]? {
        try decodeAllIfPresent(name)
    }
}

extension DataForm {
    /// Writes a property of one value. It is mandatory, unless it has a value in the source. For the macro `@DataForm`.
    public mutating func _setProperty<Value: FieldValue>(
        _ value: Value, for name: String, label: String? = nil, hasDefault: Bool = false
    ) throws(FormEncodingError) {
        try encode(value, for: name, label: label, isRequired: !hasDefault)
    }

    /// Writes a property that may be missing. For the macro `@DataForm`.
    public mutating func _setProperty<Value: FieldValue>(
        _ value: Value?, for name: String, label: String? = nil, hasDefault: Bool = false
    ) throws(FormEncodingError) {
        try encode(value, for: name, label: label)
    }

    /// Writes a property of several values. For the macro `@DataForm`.
    public mutating func _setProperty<Value: FieldValue>(
        _ values: [Value]?, for name: String, label: String? = nil, hasDefault: Bool = false
    ) throws(FormEncodingError) {
        try encode(values, for: name, label: label)
    }
}
