// What a server gives with `<enabled/>` so that the session can be resumed.

import XMLTree

/// The right to resume a session (XEP-0198 §5).
public struct Resumption: Hashable, Sendable {
    /// What the session is called.
    public let id: ResumptionID
    /// How long after a disconnect the server keeps the session, in seconds. `nil` when it did not say, which means
    /// neither for ever nor not at all (rule R11).
    public let maximum: UInt32?
    /// Where to connect to first (rule R13).
    public let location: ServerLocation?

    public init(id: ResumptionID, maximum: UInt32? = nil, location: ServerLocation? = nil) {
        self.id = id
        self.maximum = maximum
        self.location = location
    }
}

extension Resumption {
    /// Reads `<enabled/>`. `nil` when the session cannot be resumed, even if it has an `id` (rule R10).
    init?(enabled element: Element) {
        guard ["true", "1"].contains(element["resume"]), let id = element["id"].flatMap(ResumptionID.init(rawValue:))
        else {
            return nil
        }
        self.init(
            id: id, maximum: element.maximumResumptionTime, location: element["location"].flatMap(ServerLocation.init))
    }
}

/// The SM-ID: what a server calls a session, opaque (rule R14).
public struct ResumptionID: RawRepresentable, Sendable {
    public let rawValue: String

    /// - Returns: `nil` for what is empty, longer than 4,000 bytes, or not fit for XML.
    public init?(rawValue: String) {
        guard !rawValue.isEmpty, rawValue.utf8.count <= Self.longest,
            (try? MutableElement("resume", attributes: ["previd": rawValue])) != nil
        else { return nil }
        self.rawValue = rawValue
    }

    public init?(_ rawValue: String) {
        self.init(rawValue: rawValue)
    }

    /// Bytes that an SM-ID has at most (XEP-0198 §5): what is longer is not stored or sent back.
    public static let longest = 4000
}

extension ResumptionID: Hashable {
    // Code point by code point, as everything that is opaque.
    public static func == (one: ResumptionID, other: ResumptionID) -> Bool {
        one.rawValue.utf8.elementsEqual(other.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}

extension Element {
    /// The `max` attribute in whole seconds. What is no positive number says nothing; a very large one is cut.
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
