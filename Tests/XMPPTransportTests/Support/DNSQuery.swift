// Questions to name servers, and answers to them, byte by byte (RFC 1035 §4, RFC 2782).

/// A question for the SRV records of a name.
struct DNSQuery: Sendable {
    var id: [UInt8] = [0, 1]
    var name: String
    var isByTCP = false

    /// Priority, weight, port, and the target as encoded in the message.
    typealias Record = (UInt16, UInt16, UInt16, [UInt8])

    /// The flags of an answer: all have recursion desired, and available.
    enum Outcome: UInt16 {
        case answered = 0x8180
        case serverFailure = 0x8182
        case noSuchName = 0x8183
        case refused = 0x8185
        case truncated = 0x8380
    }

    func answer(_ records: [Record], type: UInt8 = 33, _ outcome: Outcome = .answered) -> [UInt8] {
        var bytes = id
        for number in [outcome.rawValue, 1, UInt16(records.count), 0, 0] { bytes += Self.bytes(number) }
        bytes += Self.name(name) + Self.typeAndClass
        for (priority, weight, port, target) in records {
            // The question's name, by a pointer to it.
            bytes += [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 60]
            for number in [UInt16(6 + target.count), priority, weight, port] { bytes += Self.bytes(number) }
            bytes += target
        }
        return bytes
    }

    static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    private static let typeAndClass: [UInt8] = [0, 33, 0, 1]
}

extension DNSQuery {
    /// The question of a message; `nil` if it does not ask for SRV records.
    init?(_ message: [UInt8], isByTCP: Bool) {
        var labels: [String] = []
        var rest = message.dropFirst(12)
        while let count = rest.popFirst(), count > 0 {
            labels.append(String(decoding: rest.prefix(Int(count)), as: UTF8.self))
            rest = rest.dropFirst(Int(count))
        }
        guard rest.starts(with: Self.typeAndClass) else { return nil }
        self.init(id: Array(message.prefix(2)), name: labels.joined(separator: "."), isByTCP: isByTCP)
    }
}
