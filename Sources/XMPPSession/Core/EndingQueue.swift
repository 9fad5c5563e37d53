// The queue of requests that end without their answers.

/// A request on its way to its end.
struct EndingJob: Hashable, Sendable {
    typealias Core = DurableSessionCore

    let request: Core.Request
    let outcome: Core.Outcome
    var failures = 0
    var restsUntil: Duration?

    init(_ request: Core.Request, because outcome: Core.Outcome) {
        self.request = request
        self.outcome = outcome
    }

    var serial: Core.Serial { request.serial }

    var ending: Core.Ending { Core.Ending(serial: serial, outcome: outcome) }
}

/// The queue of ends. An end that rests delays no other.
struct EndingQueue {
    typealias Core = DurableSessionCore

    private var jobs: [EndingJob] = []
    private var serials: Set<Core.Serial> = []

    var count: Int { jobs.count }

    var isEmpty: Bool { jobs.isEmpty }

    /// The time when the next one has rested.
    var wakeTime: Duration? { jobs.lazy.compactMap(\.restsUntil).min() }

    /// Queues a job, unless the queue has one for its request.
    mutating func add(_ job: EndingJob) {
        if serials.insert(job.serial).inserted { jobs.append(job) }
    }

    /// Takes the first one that does not rest.
    mutating func next(at now: Duration) -> EndingJob? {
        let index = jobs.firstIndex { job in job.restsUntil.map { $0 <= now } ?? true }
        guard let index else { return nil }
        var job = jobs.remove(at: index)
        serials.remove(job.serial)
        job.restsUntil = nil
        return job
    }

    /// The request has ended.
    mutating func remove(_ serial: Core.Serial) {
        if serials.remove(serial) != nil { jobs.removeAll { $0.serial == serial } }
    }

    /// Keeps those that still have to end.
    mutating func keep(_ due: Set<Core.Serial>) {
        if serials.isSubset(of: due) { return }
        jobs.removeAll { !due.contains($0.serial) }
        serials.formIntersection(due)
    }

    mutating func removeAll() { self = EndingQueue() }
}
