// The operations of the stream and the session. Each performs an action of the core, and reports its result.

import Logging
import Persistence
import SafeText
import SessionCore
import StreamManagement

extension DurableSession {
    // MARK: Runs

    func claim(for call: Core.Call) async {
        guard case .claiming(call, _) = phase else { return }
        let takingOver = update { tables in
            tables.runs[call]?.wasClaimed = true
            return tables.runs[call]?.takingOver ?? false
        }
        do {
            try await openDatabase(withPatience: true)
            try await stream.claim(takingOver: takingOver)
            // The application may have changed it since the last run.
            let configuration = await stream.configuration
            handle(
                .claimed(
                    for: call, attempts: configuration.maximumHandlingAttempts,
                    handlerTime: configuration.maximumHandlingTime))
        } catch {
            update { $0.runs[call]?.error = error }
            handle(.notClaimed(for: call))
        }
    }

    func runStream() {
        guard case .running(let call) = phase, let run = update({ $0.runs[call] }) else { return }
        let task = Task.detached { [self] in
            let result: Result<StreamEnd, any Error>
            do { result = .success(try await run.begin()) } catch { result = .failure(error) }
            await streamEnded(call)
            return try result.get()
        }
        if run.isCanceled { task.cancel() }
        update { tables in
            tables.runs[call]?.task = task
            tables.reading = Task.detached { await self.read() }
            tables.retrying = Task.detached { await self.retryWaiting() }
        }
    }

    private func streamEnded(_ call: Core.Call) {
        // A later run may have begun.
        if case .running(call) = phase { handle(.streamEnded) }
    }

    func cancelRun(_ call: Core.Call) {
        update { tables in
            tables.runs[call]?.isCanceled = true
            tables.runs[call]?.task?.cancel()
        }
    }

    // MARK: Connections

    /// The last stream is over, and another one is about to begin.
    func streamIsGone(in run: Core.Call) async throws {
        let canResume = await stream.canResume
        try check(run)
        try await takeBackAwaited(canResume: canResume)
        try check(run)
        try await sweep(beforeStream: .streamIsGone(canResume: canResume))
    }

    /// Connecting takes time, in which requests may have timed out.
    func streamIsConnected(in run: Core.Call) async throws {
        try check(run)
        try await sweep(beforeStream: .streamIsGone(canResume: true))
    }

    /// A connector that ignores its cancellation may return during a later run.
    private func check(_ run: Core.Call) throws {
        guard case .running(run) = phase else { throw CancellationError() }
    }

    private func sweep(beforeStream event: Core.Event) async throws {
        update { $0.databaseError = nil }
        if await waitToConnect(event) { return }
        throw update(\.databaseError) ?? CancellationError()
    }

    func sweep(_ number: Core.AccessNumber, losesUnresumable: Bool, timedOut: [Core.Serial]) async {
        do {
            try await rows.sweep(losesUnresumable: losesUnresumable, timedOut: timedOut, with: stream)
            handle(.swept(number, true))
        } catch {
            update { $0.databaseError = error }
            handle(.swept(number, false))
        }
    }

    func readRequests(_ number: Core.AccessNumber, after serial: Core.Serial) async {
        do {
            if !noteLostAnswers() { throw StanzaDatabaseError.busy }
            // The rows of lost requests have their ends when the stream has stored the cause.
            try await stream.flush()
            handle(.requestsRead(number, try await rows.endingRequests(after: serial)))
        } catch {
            update { $0.databaseError = error }
            handle(.requestsNotRead(number, Core.DatabaseFailure(error)))
        }
    }

    // MARK: Suspending

    /// The database is broken: the stream reports the error, and does not connect again.
    func failStream() async {
        await stream.fail(because: update(\.databaseError) ?? StanzaDatabaseError.busy)
    }

    func suspendStream() async {
        await stopReading()
        var error: (any Error)?
        repeat {
            let suspensions = update { tables in
                defer { tables.suspensions = [:] }
                return tables.suspensions
            }
            await failAwaited(takingBack: true)
            do {
                try await stream.suspend(untilClaimed: !suspensions.isEmpty, by: suspensions.values.map(\.end).min())
            } catch let failure {
                error = error ?? failure
            }
            if suspensions.values.contains(where: \.freezes) { database.freeze() }
            // Calls may have come in between.
        } while update { !$0.suspensions.isEmpty }
        update { $0.suspensionError = error }
        handle(.streamSuspended)
    }

    // MARK: Closing

    func closeStream() async {
        await stopReading()
        await openDatabase()
        do {
            try await stream.claim()
            try await rows.sweep(losesUnresumable: true, timedOut: [], with: stream)
        } catch {
            log(.error, "requests were not lost", error: error.loggable)
        }
        let connection = await stream.closeSession(waiting: phase.isHurried ? .zero : update(\.closingWait))
        update { $0.connection = connection }
        await failAwaited(takingBack: false)
        handle(.streamClosed)
    }

    func forgetSession() async {
        await openDatabase()
        do {
            handle(.sessionForgotten(try await rows.forget(after: stream)))
        } catch {
            log(.error, "requests were not ended", error: error.loggable)
            handle(.sessionNotForgotten)
        }
    }

    /// After a closed session, restores the ordinary patience for the account's next session, and freezes the database
    /// if a handler has requested that.
    func finishClosing() {
        guard case .closed = phase else { return }
        let (patience, freezes) = update { tables in
            defer { (tables.patience, tables.freezesWhenClosed) = (nil, false) }
            return (tables.patience, tables.freezesWhenClosed)
        }
        if let patience { database.limitWaiting(for: patience.isForAll ? nil : account, until: nil) }
        if freezes { addOperation { [database] in database.freeze() } }
    }

    // MARK: The database

    /// Opens the database, and lets accesses wait as long as there is time.
    private func openDatabase() async {
        do {
            try await openDatabase(withPatience: false)
        } catch {
            log(.error, "the database cannot be opened", error: error.loggable)
        }
    }

    private func openDatabase(withPatience hasTime: Bool) async throws {
        if hasTime { update { $0.patience = nil } }
        defer {
            database.limitWaiting(for: account, until: nil)
            if let patience = update(\.patience) {
                database.limitWaiting(for: patience.isForAll ? nil : account, until: patience.end)
            }
        }
        try await database.unfreeze()
    }
}
