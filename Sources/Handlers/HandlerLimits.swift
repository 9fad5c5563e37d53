// The numbers of this module, each with its reason. Tests hold every one of them.

public import Foundation

/// What a stored handler may hold at most. Storing more is an error; so is loading it.
public enum HandlerLimits {
    /// Bytes of one stored handler with everything in it: 2 MiB, the largest stanza that the parser takes and as much
    /// again.
    public static let bytes = 2 << 20

    /// Values in one stored handler, those in arrays, dictionaries and nested handlers among them. A value in memory
    /// takes some tens of bytes where its stored form may take one.
    public static let values = 1 << 16

    /// How deep arrays, dictionaries and handlers nest within each other. Decoding recurses that deep.
    public static let depth = 32

    /// How deep handlers nest within handlers: a callback that carries its caller's callback is common, a third level
    /// hardly so.
    public static let nestedHandlers = 8

    /// Arguments of one handler: no function has more parameters.
    public static let arguments = 256

    /// Bytes of one part of a name, and of an argument's or a type's name.
    public static let nameBytes = 255

    /// The highest version of a parameter list.
    public static let version = 1 << 16

    /// Calls that wait for one parked handler. A request has one answer; a subscription may have many.
    public static let parkedCalls = 1000

    /// Seconds for which a store keeps a handler that has ended: a week. A copy that is called in that time throws the
    /// reason of the end; later it throws `notStored`. Programs that load a copy rarely wait longer.
    public static let retention: TimeInterval = 7 * 86_400

    /// Bytes of a store's file: 256 MiB. All of it is held in memory.
    public static let storeBytes = 256 << 20
}
