// Reports calls to the log and the observer: names, durations and errors, never an argument's value.

public import Foundation
import Logging
import SafeText

extension HandlerDispatcher {
    func report(
        _ purpose: HandlerEvent.Purpose, _ handler: Handler, since start: ContinuousClock.Instant,
        _ outcome: HandlerEvent.Outcome
    ) {
        let isDebugging = logger.logLevel <= .debug
        guard isDebugging || observer != nil || outcome.isRefusal else { return }
        let duration = ContinuousClock.now - start
        var name = handler.name
        if case .invalidation = purpose { name = handler.invalidation?.name ?? name }
        log(purpose, handler, duration, outcome)
        observer?(
            HandlerEvent(handler: handler.id, name: name, purpose: purpose, duration: duration, outcome: outcome))
    }

    private func log(
        _ purpose: HandlerEvent.Purpose, _ handler: Handler, _ duration: Duration, _ outcome: HandlerEvent.Outcome
    ) {
        var metadata: Logger.Metadata = [
            "handler": "\(handler)", "id": "\(handler.id)", "duration": "\(duration)",
        ]
        var verb = "called"
        if case .invalidation(let reason) = purpose {
            verb = "invalidated"
            metadata["reason"] = "\(reason)"
        }
        switch outcome {
        case .returned: logger.debug("handler \(verb)", metadata: metadata)
        case .threw(let error):
            metadata["error"] = "\(error.loggable)"
            logger.debug("handler \(verb), its function threw", metadata: metadata)
        case .refused(let error):
            metadata["error"] = "\(error.loggable)"
            logger.warning("handler not \(verb)", metadata: metadata)
        }
    }
}

extension HandlerEvent.Outcome {
    fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
}

/// A call or invalidation of a handler, with its outcome.
public struct HandlerEvent: Sendable {
    /// Whether the handler was called or invalidated.
    public enum Purpose: Sendable, Hashable {
        case call
        case invalidation(InvalidationReason)
    }

    /// The handler's identity.
    public let handler: UUID
    /// The function: the handler's or, for an invalidation, its invalidation function if it has one.
    public let name: HandlerName
    public let purpose: Purpose
    /// From the start to the end of the call, including all waiting.
    public let duration: Duration
    public let outcome: Outcome

    public enum Outcome: Sendable {
        /// The function returned; for an invalidation without a function, the handler was invalidated.
        case returned
        /// The function threw.
        case threw(any Error)
        /// The function was not called: the arguments do not fit, or the handler has ended.
        case refused(any Error)
    }
}
