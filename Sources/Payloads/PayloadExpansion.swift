// Names for the expansions of `@Payload`, which no type of a program hides.

/// A name for the macro `@Payload`, which no type of a program hides.
public typealias _PayloadName = PayloadName
/// A name for the macro `@Payload`, which no type of a program hides.
public typealias _PayloadReader = PayloadReader
/// A name for the macro `@Payload`, which no type of a program hides.
public typealias _PayloadWriter = PayloadWriter
/// A name for the macro `@Payload`, which no type of a program hides.
public typealias _PayloadError = PayloadError

extension PayloadName {
    /// The names of all cases of a choice. For the macro `@Payload`.
    public static func _joined(_ names: [PayloadName]...) -> [PayloadName] { names.flatMap { $0 } }
}
