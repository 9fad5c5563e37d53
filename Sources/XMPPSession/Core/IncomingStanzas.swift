// Stanzas that wait for their turn, in the order of their numbers.

/// A stanza on its way to its commit.
struct StanzaJob: Hashable, Sendable {
    typealias Core = DurableSessionCore

    enum State: Hashable, Sendable {
        /// An answer whose request the core has not looked up.
        case unknown
        /// A handler can handle it. An answer without a match answers no open request.
        case ready(Core.Match?)
        case resting(until: Duration)
        /// Its handling has failed. The core counts the failure when everything before the stanza is committed.
        case failed
        /// The core waits for the count of its failure.
        case counting
        /// It waits for the commit of an earlier stanza. Its handler has returned, or it needs none.
        case collected(Handled?)
    }

    /// The result of its handler.
    struct Handled: Hashable, Sendable {
        let attempt: Core.Attempt
        let collected: Core.Collected
        let match: Core.Match?
    }

    let stanza: Core.Stanza
    var state: State
    /// The open request that it answered when it was looked up last.
    fileprivate(set) var serial: Core.Serial?
    /// The number of its failures, if only this process counts.
    var failures = 0
    var interruptions = 0

    init(_ stanza: Core.Stanza) {
        self.stanza = stanza
        state = stanza.isAnswer ? .unknown : .ready(nil)
    }

    /// The same job before its look-up: the request in its match may have ended.
    var again: StanzaJob {
        var job = self
        job.state = stanza.isAnswer ? .unknown : .ready(nil)
        return job
    }

    mutating func rest(until time: Duration) { state = .resting(until: time) }
}

/// The queue of stanzas.
struct IncomingStanzas {
    typealias Core = DurableSessionCore

    /// Those before `head` are gone.
    private var jobs: [StanzaJob] = []
    private var head = 0
    /// The first place that can hold an answer for which no read has begun.
    private var firstUnknown = 0
    private var lookUp: (number: Core.AccessNumber, stanzas: [Core.StanzaNumber])?
    /// The requests that stanzas of the queue answer, with the number of answers.
    private var matched: [Core.Serial: Int] = [:]
    /// Requests that have ended since a look-up.
    private var ended: Set<Core.Serial> = []

    var count: Int { jobs.count - head }

    var first: StanzaJob? { head < jobs.count ? jobs[head] : nil }

    /// The time when the first one has rested.
    var wakeTime: Duration? { if case .resting(let time) = first?.state { time } else { nil } }

    /// Whether a stanza of the queue answers that request.
    func answers(_ serial: Core.Serial) -> Bool { matched[serial] != nil }

    /// Whether a request has ended since it was looked up.
    func hasEnded(_ serial: Core.Serial) -> Bool { ended.contains(serial) }

    mutating func append(_ stanza: Core.Stanza) { jobs.append(StanzaJob(stanza)) }

    /// Puts a job back to its place, which is near the front.
    mutating func insert(_ job: StanzaJob) {
        let index = jobs[head...].firstIndex { $0.stanza.number > job.stanza.number } ?? jobs.endIndex
        if index == head, head > 0 {
            head -= 1
            jobs[head] = job
        } else {
            jobs.insert(job, at: index)
        }
        firstUnknown = min(firstUnknown, index)
        if firstUnknown < head { firstUnknown = head }
        countAnswer(of: job.serial, by: 1)
    }

    mutating func setFirst(_ state: StanzaJob.State) {
        jobs[head].state = state
        if state == .unknown { firstUnknown = head }
    }

    mutating func removeFirst() -> StanzaJob {
        let job = jobs[head]
        countAnswer(of: job.serial, by: -1)
        forgetEnded()
        head += 1
        firstUnknown = max(firstUnknown, head)
        if head == jobs.count || head >= 64, head * 2 >= jobs.count {
            jobs.removeFirst(head)
            firstUnknown -= head
            head = 0
        }
        return job
    }

    /// - Returns: The stanzas to put back. The verdict decides about a stanza whose failure the stream counts.
    mutating func removeAll() -> [Core.StanzaNumber] {
        let numbers = jobs[head...].filter { $0.state != .counting }.map(\.stanza.number)
        self = IncomingStanzas()
        return numbers
    }

    // MARK: Looking up

    /// The answers of the queue to look up next, at most `limit`; none while a look-up runs.
    func unknown(limit: Int) -> [Core.StanzaNumber] {
        if lookUp != nil { return [] }
        var numbers: [Core.StanzaNumber] = []
        for job in jobs[max(firstUnknown, head)...] where job.state == .unknown {
            numbers.append(job.stanza.number)
            if numbers.count == limit { break }
        }
        return numbers
    }

    mutating func beginLookUp(_ number: Core.AccessNumber, _ stanzas: [Core.StanzaNumber]) {
        lookUp = (number, stanzas)
    }

    /// - Returns: Whether this is the awaited look-up.
    mutating func endLookUp(_ number: Core.AccessNumber, _ matches: [Core.Match?]) -> Bool {
        guard let lookUp, lookUp.number == number, lookUp.stanzas.count == matches.count else { return false }
        self.lookUp = nil
        var index = max(firstUnknown, head)
        for (stanza, match) in zip(lookUp.stanzas, matches) {
            while index < jobs.count, jobs[index].stanza.number < stanza { index += 1 }
            guard index < jobs.count, jobs[index].stanza.number == stanza, jobs[index].state == .unknown else {
                continue
            }
            jobs[index].state = .ready(match)
            countAnswer(of: jobs[index].serial, by: -1)
            countAnswer(of: match?.serial, by: 1)
            jobs[index].serial = match?.serial
        }
        firstUnknown = jobs[max(firstUnknown, head)...].firstIndex { $0.state == .unknown } ?? jobs.endIndex
        forgetEnded()
        return true
    }

    /// - Returns: Whether this is the awaited look-up.
    mutating func failLookUp(_ number: Core.AccessNumber) -> Bool {
        guard lookUp?.number == number else { return false }
        lookUp = nil
        forgetEnded()
        return true
    }

    mutating func noteEnd(of serial: Core.Serial) {
        if lookUp != nil || !matched.isEmpty { ended.insert(serial) }
    }

    private mutating func countAnswer(of serial: Core.Serial?, by change: Int) {
        guard let serial else { return }
        let count = matched[serial, default: 0] + change
        matched[serial] = count > 0 ? count : nil
    }

    private mutating func forgetEnded() {
        if lookUp == nil, matched.isEmpty { ended = [] }
    }
}
