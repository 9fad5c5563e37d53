// The limits of this module, each with its reason. Tests check every one of them.

/// The limits of a stored handler. Storing or loading more is an error.
public enum HandlerLimits {
    /// Bytes of one stored handler with all its content: 2 MiB, twice the largest stanza that the parser accepts.
    public static let bytes = 2 << 20

    /// Values in one stored handler, including those in arrays, dictionaries and nested handlers. A value takes tens of
    /// bytes in memory, while its stored form may take one.
    public static let values = 1 << 16

    /// The depth of arrays, dictionaries and handlers within each other. Decoding recurses that deep.
    public static let depth = 32

    /// The depth of handlers within handlers. A callback that carries its caller's callback is common, a third level is
    /// rare.
    public static let nestedHandlers = 8

    /// Arguments of one handler: no function has more parameters.
    public static let arguments = 256

    /// Bytes of one part of a name, and of an argument's or a type's name.
    public static let nameBytes = 255

    /// The highest version of a parameter list.
    public static let version = 1 << 16
}
