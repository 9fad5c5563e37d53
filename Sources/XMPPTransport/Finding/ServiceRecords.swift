// Reads DNS answers with SRV records (RFC 1035 §4, RFC 2782). An attacker may have made the bytes, so all reads are
// bounded.

/// The content of an SRV record.
struct ServiceRecord: Hashable, Sendable {
    /// The priority. Lower numbers come first.
    var priority: UInt16
    /// The relative frequency with which it comes first among the records of its priority.
    var weight: UInt16
    var port: UInt16
    /// The host, without a dot at its end; empty if the domain does not have the service.
    var target: String
}

/// Reads an answer.
struct ServiceAnswer {
    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// More records than any domain has.
    static let mostRecords = 32
    /// More pointers than any name has.
    private static let mostPointers = 16
    private static let longestName = 255

    private struct Malformed: Error {}

    /// The SRV records of an answer; none if it is malformed or reports none.
    static func records(in bytes: [UInt8]) -> [ServiceRecord] {
        var answer = ServiceAnswer(bytes)
        return (try? answer.read()) ?? []
    }

    private mutating func read() throws -> [ServiceRecord] {
        guard bytes.count >= 12, bytes[3] & 0x0F == 0 else { throw Malformed() }
        position = 4
        let questions = try number()
        let answers = try number()
        position = 12
        guard questions <= 1 else { throw Malformed() }
        for _ in 0..<questions {
            try skipName()
            try skip(4)
        }
        var records: [ServiceRecord] = []
        for _ in 0..<answers where records.count < Self.mostRecords {
            try skipName()
            let (type, family) = (try number(), try number())
            try skip(4)
            let end = Int(try number()) + position
            guard end <= bytes.count else { throw Malformed() }
            if type == 33, family == 1 {
                let (priority, weight, port) = (try number(), try number(), try number())
                let target = try name()
                guard position == end else { throw Malformed() }
                // A record that names no host does not discard the others.
                if let target = String(hostLabels: target) {
                    records.append(ServiceRecord(priority: priority, weight: weight, port: port, target: target))
                }
            }
            position = end
        }
        return records
    }

    private mutating func skip(_ count: Int) throws {
        guard position + count <= bytes.count else { throw Malformed() }
        position += count
    }

    private mutating func number() throws -> UInt16 {
        try skip(2)
        return UInt16(bytes[position - 2]) << 8 | UInt16(bytes[position - 1])
    }

    private mutating func skipName() throws { _ = try name() }

    /// Reads the labels of a name and follows its pointers. A pointer must lead to an earlier place in the message, so
    /// reading ends.
    private mutating func name() throws -> [ArraySlice<UInt8>] {
        var labels: [ArraySlice<UInt8>] = []
        var length = 0
        var pointers = 0
        var place = position
        var afterFirstPointer: Int?
        while true {
            guard place < bytes.count else { throw Malformed() }
            let count = Int(bytes[place])
            switch count {
            case 0:
                position = afterFirstPointer ?? place + 1
                return labels
            case 1...63:
                guard place + 1 + count <= bytes.count else { throw Malformed() }
                length += count + 1
                guard length <= Self.longestName else { throw Malformed() }
                labels.append(bytes[place + 1..<place + 1 + count])
                place += 1 + count
            case 0xC0...:
                guard place + 1 < bytes.count else { throw Malformed() }
                let target = (count & 0x3F) << 8 | Int(bytes[place + 1])
                pointers += 1
                guard target < place, pointers <= Self.mostPointers else { throw Malformed() }
                if afterFirstPointer == nil { afterFirstPointer = place + 2 }
                place = target
            default: throw Malformed()
            }
        }
    }
}

extension String {
    /// The name of a host; `nil` if a label has other characters than letters, digits, hyphens and underscores.
    fileprivate init?(hostLabels labels: [ArraySlice<UInt8>]) {
        let isName = labels.joined().allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName else { return nil }
        self = labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }
}

extension ServiceRecord {
    /// Sorts records by priority, and those of one priority at random, in proportion to their weights (RFC 2782).
    static func ordered<Value>(
        _ records: [(record: ServiceRecord, value: Value)], using generator: inout some RandomNumberGenerator
    ) -> [Value] {
        var rest = records.sorted { $0.record.priority < $1.record.priority }
        var result: [Value] = []
        while let first = rest.first {
            let weights = rest.prefix { $0.record.priority == first.record.priority }.map { Int($0.record.weight) }
            result.append(rest.remove(at: choice(among: weights, using: &generator)).value)
        }
        return result
    }

    private static func choice(among weights: [Int], using generator: inout some RandomNumberGenerator) -> Int {
        let weightless = weights.indices.filter { weights[$0] == 0 }
        // Records without weight share the number 0, one more than the weights need: a very small chance.
        let lowest = weightless.isEmpty ? 1 : 0
        var chosen = Int.random(in: lowest...max(lowest, weights.reduce(0, +)), using: &generator)
        if chosen == 0 { return weightless.randomElement(using: &generator) ?? 0 }
        return weights.firstIndex { weight in
            chosen -= weight
            return chosen <= 0
        } ?? 0
    }
}
