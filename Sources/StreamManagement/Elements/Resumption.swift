// The attributes of `<enabled/>` that let a client resume the session.

import XMLTree

/// The right to resume a session (XEP-0198 §5).
public struct Resumption: Hashable, Sendable {
    /// The server's identifier of the session.
    public let id: ResumptionID
    /// How long after a disconnect the server keeps the session, in seconds. `nil` if the server named no time, which
    /// means neither forever nor not at all (rule R11).
    public let maximum: UInt32?
    /// The place to connect to first (rule R13).
    public let location: ServerLocation?

    public init(id: ResumptionID, maximum: UInt32? = nil, location: ServerLocation? = nil) {
        self.id = id
        self.maximum = maximum
        self.location = location
    }
}

extension Resumption {
    /// Reads `<enabled/>`. `nil` if the session cannot be resumed, even if the element has an `id` (rule R10).
    init?(enabled element: Element) {
        guard ["true", "1"].contains(element["resume"]), let id = element["id"].flatMap(ResumptionID.init(rawValue:))
        else {
            return nil
        }
        self.init(
            id: id, maximum: element.maximumResumptionTime, location: element["location"].flatMap(ServerLocation.init))
    }
}

/// The SM-ID: a server's opaque identifier of a session (rule R14).
public struct ResumptionID: RawRepresentable, Sendable {
    public let rawValue: String

    /// - Returns: `nil` for a string that is empty, is longer than 4,000 bytes, or cannot be written as XML.
    public init?(rawValue: String) {
        guard !rawValue.isEmpty, rawValue.utf8.count <= Self.longest,
            (try? XMLTreeError.check(text: rawValue)) != nil
        else { return nil }
        self.rawValue = rawValue
    }

    public init?(_ rawValue: String) {
        self.init(rawValue: rawValue)
    }

    /// The largest number of bytes in an SM-ID (XEP-0198 §5). A longer one is neither stored nor sent back.
    public static let longest = 4000
}

extension ResumptionID: Hashable {
    // String's own equality treats canonical equivalents as equal; the identifier is opaque.
    public static func == (one: ResumptionID, other: ResumptionID) -> Bool {
        one.rawValue.utf8.elementsEqual(other.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}

extension Element {
    /// The `max` attribute in whole seconds; `nil` if it is not a positive number. A larger number than `UInt32.max`
    /// becomes `UInt32.max`.
    fileprivate var maximumResumptionTime: UInt32? {
        read { reader in
            guard let value = reader.view.attribute(qualified: Keys.maximum, of: reader.index) else { return nil }
            let digits = reader.view.string(value)
            if let seconds = UInt32(digits: digits) { return seconds == 0 ? nil : seconds }
            let isNumber = !digits.isEmpty && digits.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            return isNumber ? .max : nil
        }
    }
}
