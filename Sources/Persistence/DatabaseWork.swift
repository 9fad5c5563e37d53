// What a handler wants to change. A transaction of SQLite cannot wait for asynchronous code, so a handler is given
// this, and what it has collected is done in one transaction when the handler has returned.

import Foundation
import Promises
import StreamManagement
import Synchronization

/// Changes that are collected, and made together: all of them, or none.
///
/// A handler gets it as an argument of its call. It hands over what it wants to change, and may be asynchronous itself.
///
/// It is a store of handlers, too (`HandlerCentre.using(_:)`): that a single-shot handler was called is then one of the
/// changes (DatabaseWork+Handlers.swift).
public final class DatabaseWork: Sendable {
    private typealias Step = @Sendable (DatabaseTransaction) throws -> Void

    let database: StanzaDatabase
    let claims: WorkClaims
    private let steps = Mutex<(all: [Step], isOpen: Bool)>(([], true))
    private let failure = Mutex<(any Error)?>(nil)
    /// The handler of the request that the session ends with this work.
    private let answered = Mutex<UUID?>(nil)

    init(database: StanzaDatabase) {
        self.database = database
        claims = WorkClaims(database.pendingClaims)
    }

    /// Adds a change, which is made after those that were added before.
    /// - Throws: `StanzaDatabaseError.closed` when the transaction has begun already.
    public func add(_ step: @escaping @Sendable (DatabaseTransaction) throws -> Void) throws(StanzaDatabaseError) {
        let isOpen = steps.withLock { steps in
            if steps.isOpen { steps.all.append(step) }
            return steps.isOpen
        }
        if !isOpen { throw .closed }
    }

    /// Looks something up in the database on behalf of the session, and notes if the database cannot. The uncommitted
    /// batch need not commit first: the session knows its changes.
    package func lookUp<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (StanzaDatabase) async throws -> Result
    ) async throws -> Result {
        do {
            return try await UncommittedBatch.$commit.withValue(nil) { try await body(database) }
        } catch let error as StanzaDatabaseError {
            if error.isOfTheDatabase { failure.withLock { $0 = error } }
            throw error
        }
    }

    /// Notes the handler of the request that the session ends with this work. The session looks that handler up.
    package func noteAnswered(_ handler: UUID) { answered.withLock { $0 = handler } }

    /// Commits the batch before a lookup of handlers by the application, which finds the changes of earlier handlers.
    func commitBatch(beforeLookingUp ids: [UUID]) async throws {
        if let own = answered.withLock(\.self), ids.contains(own) { return }
        try await UncommittedBatch.commit?()
    }

    /// Why the database could not look something up; `nil` if it could. Whatever has failed then, it says nothing of
    /// who wanted to know.
    package var failedLookUp: (any Error)? { failure.withLock(\.self) }

    /// The number of changes.
    package var stepCount: Int { steps.withLock { $0.all.count } }

    /// Makes all changes. None can be added afterwards. After a rollback, another transaction can make them again.
    func perform(in transaction: DatabaseTransaction) throws {
        let all = steps.withLock { steps in
            steps.isOpen = false
            return steps.all
        }
        try claims.make(in: transaction)
        for step in all { try step(transaction) }
    }

    /// The same, which tells whose fault it is when that fails.
    ///
    /// - Throws: `EffectsError` if a step throws, unless the database could not do it.
    func performAsOne(in transaction: DatabaseTransaction) throws {
        do {
            try perform(in: transaction)
            try transaction.checkForeignKeys()
        } catch {
            throw transaction.couldNotDo(error) ? error : EffectsError(error)
        }
    }

    /// The same in a savepoint: the transaction continues without the changes of work that fails.
    func performInSavepoint(of transaction: DatabaseTransaction) throws {
        try transaction.database.inSavepoint {
            // SQLite forgets with the rollback whose fault it was.
            try performAsOne(in: transaction)
            return .commit
        }
    }
}

extension StanzaDatabase {
    /// Runs `body`, and then makes all changes that it has collected in one transaction. When it throws, none is made.
    ///
    /// ```swift
    /// try await database.collect { work in
    ///     try await handlers.using(work).call(stored: id, ["words": "done"])
    /// }
    /// ```
    ///
    /// A handler that you call with the work gets it as the argument `work`.
    ///
    /// - Throws: What `body` or a change throws, or a `StanzaDatabaseError`; `HandlerError` if another process has
    ///   called or invalidated a handler meanwhile that this one has called as a single-shot handler, or invalidated.
    @discardableResult
    public func collect<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabaseWork) async throws -> Result
    ) async throws -> Result {
        try await collect(body) { work, _ in try await self.write { try work.perform(in: $0) } }
    }

    /// Runs `body`, and then `commit`, which makes all changes that were collected as a part of a transaction of its
    /// own, such as `StreamSession.commit(_:with:in:sending:withdrawing:)`.
    ///
    /// - Throws: What either throws. Then nothing may have been made.
    @discardableResult
    public func collect<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabaseWork) async throws -> Result,
        commit: (DatabaseWork, Result) async throws -> Void
    ) async throws -> Result {
        let work = DatabaseWork(database: self)
        do {
            let result = try await body(work)
            try await commit(work, result)
            await work.end(isCommitted: true)
            return result
        } catch {
            await work.end(isCommitted: false)
            throw error
        }
    }
}

extension StanzaDatabase {
    /// Begins work that its owner commits, or not, and then ends.
    package func beginWork() -> DatabaseWork { DatabaseWork(database: self) }

    /// Makes what work has collected in a transaction of its own.
    ///
    /// - Throws: `EffectsError` if a change throws, unless the database could not do it.
    package func make(_ work: DatabaseWork) async throws { try await write { try work.performAsOne(in: $0) } }
}

extension PromiseCentre {
    /// Makes a promise together with other changes, such as the request that it stands for: whoever is killed before
    /// they are stored has made neither.
    ///
    /// ```swift
    /// let promise = try await session.together { work in
    ///     let promise = try promises.create(String.self, in: work.database)
    ///     try await work.request(iq, handler: handler.binding(["promise": promise]))
    ///     return promise
    /// }
    /// ```
    ///
    /// Its parameters are those of `create(_:key:timeout:retention:)`. A key that is taken makes the changes fail.
    ///
    /// - Throws: `PromiseError.unregisteredType` or `.tooLong`; `StanzaDatabaseError.closed` when the transaction has
    ///   begun already.
    public nonisolated func create<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, key: String? = nil, timeout: Duration? = nil,
        retention: Duration = PromiseCentre.retention, in work: DatabaseWork
    ) throws -> Promise<Value> {
        let record = try record(of: type, key: key, timeout: timeout, retention: retention)
        try work.add { try Self.insert(record, in: $0.promises) }
        return promise(record.id)
    }
}

extension Promise {
    /// Resolves it with a value together with the other changes of a handler. The first outcome counts, as always. Of a
    /// promise that was removed meanwhile nobody wants to know any more: the other changes are made without it.
    ///
    /// - Throws: `PromiseError.unencodable`, `.tooLong` or `.unregisteredType` for a value that cannot be stored: at
    ///   once, and not when the changes are made. `StanzaDatabaseError.closed` when the transaction has begun already.
    public func fulfil(_ value: Value, in work: DatabaseWork) throws { try resolve(try outcome(of: value), in: work) }

    /// Resolves it with an error together with the other changes of a handler, as `fulfil(_:in:)` does with a value.
    public func reject(_ error: any Error, in work: DatabaseWork) throws {
        try resolve(.rejected(PromiseRejection(bridging: error)), in: work)
    }

    /// Gives it up together with the other changes of a handler, as `fulfil(_:in:)` gives it a value.
    public func cancel(in work: DatabaseWork) throws { try resolve(.cancelled, in: work) }

    private func resolve(_ outcome: PromiseOutcome, in work: DatabaseWork) throws {
        try work.add { transaction in
            do { try resolve(outcome, in: transaction.promises) } catch PromiseError.unknownPromise {}
        }
    }
}
