// Encodes a ledger as the content of a file store, and decodes it. The article StoredFormat.md describes the format.

import Foundation

extension HandlerLedger {
    /// Encodes the records in the order of their identities, then the marks in the same order.
    func data() throws(HandlerError) -> Data {
        var output = ByteWriter(limit: HandlerLimits.storeBytes)
        output.write(count: records.count)
        for record in records.values.sorted(by: { $0.id.uuidString < $1.id.uuidString }) {
            output.write(record.id)
            try output.write(record.description)
            try output.write(record.data)
            output.write(count: record.nested.count)
            for id in record.nested { output.write(id) }
            output.write(byte: record.deferral == nil ? 0 : 1)
            guard let deferral = record.deferral else { continue }
            try output.write(deferral.reason)
            output.write(fixed: deferral.since.timeIntervalSinceReferenceDate.bitPattern)
            output.write(count: deferral.calls.count)
            for call in deferral.calls { try output.write(call.data) }
        }
        output.write(count: marks.count)
        for (id, mark) in marks.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            output.write(id)
            output.write(fixed: (ends[id] ?? .distantPast).timeIntervalSinceReferenceDate.bitPattern)
            switch mark {
            case .called: output.write(byte: 0)
            case .invalidated(let reason):
                output.write(byte: 1)
                try output.write(reason.rawValue)
            }
        }
        try output.checkLimit()
        return StoredFormat.frame(output.bytes, .store)
    }

    /// Decodes the content of a file store.
    ///
    /// - Parameters:
    ///   - data: The file's content.
    ///   - now: The time of day. Marks of version 1 have no times: their handlers count as ended now.
    init(data: Data, now: Date) throws(HandlerError) {
        let (payload, version) = try StoredFormat.content(of: data, .store, limit: HandlerLimits.storeBytes)
        var input = ByteReader(payload)
        self.init()
        for _ in 0..<(try input.readCount(limit: HandlerLimits.storeBytes, .storeBytes)) {
            save(try Self.readRecord(&input))
        }
        for _ in 0..<(try input.readCount(limit: HandlerLimits.storeBytes, .storeBytes)) {
            let id = try input.readID()
            // No handler ends later than now, even if the file says so.
            let end = version == 1 ? now : min(now, try input.readDate())
            switch try input.readByte() {
            case 0: restore(.called, of: id, end: end)
            case 1: restore(.invalidated(InvalidationReason(rawValue: try input.readString())), of: id, end: end)
            default: throw input.corrupt("an unknown mark")
            }
        }
        guard input.isAtEnd else { throw input.corrupt("something follows the end") }
    }

    private static func readRecord(_ input: inout ByteReader) throws(HandlerError) -> StoredHandler {
        let id = try input.readID()
        let description = try input.readString()
        let data = Data(try input.readBytes())
        var nested: [UUID] = []
        for _ in 0..<(try input.readCount(limit: HandlerLimits.values, .values)) { nested.append(try input.readID()) }
        var deferral: StoredHandler.Deferral?
        switch try input.readByte() {
        case 0: break
        case 1:
            let reason = try input.readString()
            let since = try input.readDate()
            var calls: [StoredHandler.Call] = []
            for number in 0..<(try input.readCount(limit: HandlerLimits.deferredCalls, .deferredCalls)) {
                calls.append(StoredHandler.Call(number: Int64(number) + 1, data: Data(try input.readBytes())))
            }
            deferral = StoredHandler.Deferral(reason: reason, since: since, calls: calls)
        default: throw input.corrupt("an unknown kind of deferral")
        }
        return StoredHandler(id: id, description: description, data: data, nested: nested, deferral: deferral)
    }
}
