// Requests that resolve a promise with their answer, without a handler. The row of such a request has the identity of
// its promise in place of a handler.

import Foundation
public import Handlers
import Persistence
import SessionCore
import StreamManagement
public import XMLTree
import XMPPCore

extension StanzaWork {
    /// Sends a request after the changes are stored. Its answer resolves the promise, in any process, in the
    /// transaction that ends the request.
    ///
    /// A `result` fulfills the promise. An `error` rejects it: the code is the condition of the error, and the
    /// rejection has the stanza. Without an answer, the code is the reason (`InvalidationReason`), such as `timed-out`.
    ///
    /// ```swift
    /// let promise = try await session.promise(NoValue.self, key: key, timeout: .seconds(3600)) { promise, work in
    ///     try work.request(iq, promise: promise)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - iq: An `iq` of type `get` or `set`. Without an `id` it gets one.
    ///   - promise: The promise, which has no other use for the answer.
    ///   - timeout: The time to wait for the answer. With `nil`, the request waits as long as the promise that
    ///     `DurableSession.promise(_:key:timeout:retention:asking:)` creates. Without such a promise, or if that one
    ///     has no timeout, it waits for `DurableSession.requestTimeout`.
    /// - Returns: The `id` of the request.
    /// - Throws: `RequestError`; `StanzaDatabaseError.recordTooLarge` or `XMLParseError` for a stanza that could not be
    ///   stored or read back; `StreamManagementError.ended` if the session was closed.
    @discardableResult
    public func request(_ iq: Element, promise: Promise<NoValue>, timeout: Duration? = nil) throws -> String {
        try request(iq, .promise, promise.id, timeout)
    }

    /// Sends a request whose answer is the value of the promise, like the method for a promise of `NoValue`.
    ///
    /// - Throws: The errors of that method.
    @discardableResult
    public func request(_ iq: Element, promise: Promise<Element>, timeout: Duration? = nil) throws -> String {
        try request(iq, .promisedAnswer, promise.id, timeout)
    }

    private func request(_ iq: Element, _ kind: RequestKind, _ promise: UUID, _ timeout: Duration?) throws -> String {
        try request(iq, kind: kind, handler: promise.bytes, timeout: timeout ?? inheritedTimeout)
    }

    /// Resolves the promise of a request with its outcome.
    ///
    /// - Returns: Why this process cannot resolve it; `nil` if it has.
    func resolve(
        _ request: StoredRequest, _ kind: RequestKind, _ outcome: DurableSessionCore.Outcome, with answer: Element?
    ) async throws -> String? {
        guard let promises else { return "\(RequestError.withoutPromises)" }
        guard let id = UUID(bytes: request.handler) else { return "the identity of the promise is damaged" }
        let promise: Promise<NoValue> = promises.promise(id)
        if let answer, let error = StanzaError(answer) {
            try await promise.reject(
                PromiseRejection(
                    code: error.condition, message: error.text ?? error.condition, stanza: answer,
                    account: "\(account)"))
            return nil
        }
        var reason = InvalidationReason(outcome)
        if let answer {
            do {
                if kind == .promisedAnswer {
                    try await promises.promise(id).fulfill(answer)
                } else {
                    try await promise.fulfill()
                }
                return nil
            } catch is PromiseError {
                // No program can store this answer.
                reason = .answerNotHandled
            }
        }
        try await promise.reject(
            PromiseRejection(code: reason.rawValue, message: reason.rawValue, account: "\(account)"))
        return nil
    }
}

extension UUID {
    fileprivate var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    fileprivate init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}
