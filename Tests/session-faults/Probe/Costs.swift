// The memory and the processor time of this process, for the test of an extension's costs.

import Foundation
import GRDB
import Persistence

/// The resources that a process has used so far.
struct Costs {
    /// Bytes of memory that belong to this process alone; `nil` where the system does not report them. iOS counts such
    /// memory, which no file holds, against the limit of an extension.
    let memory: Int?
    /// In milliseconds, of all threads, in the kernel too.
    let processorTime: Int

    init() {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        memory = line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 }
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #endif
        func milliseconds(_ time: timeval) -> Int { Int(time.tv_sec) * 1000 + Int(time.tv_usec) / 1000 }
        processorTime = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)
    }
}

extension ProbeSession {
    /// Waits until so many messages are handled and all replies are acknowledged. Then it suspends the session and
    /// notes the costs.
    func noteCosts(after count: Int) async throws {
        while try await handledCount() < count { try await Task.sleep(for: .milliseconds(20)) }
        while await !session.stream.unacknowledged.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        try await session.suspend(gracePeriod: .seconds(5))
        let costs = Costs()
        log.note("costs", "\(costs.memory.map(String.init) ?? "unknown")", "\(costs.processorTime)")
    }

    private func handledCount() async throws -> Int {
        try await database.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM inbox") } ?? 0
    }
}
