// Binding again: as long as a handler has not ended, what is bound may change.

extension Handler {
    /// Binds arguments, over those of the same names that are bound already; `nil` takes one away.
    ///
    /// Only this copy changes. What was stored changes when the handler is stored again.
    ///
    /// - Throws: `HandlerError` when the handler has ended, or for a value that is not storable. Values of a wrong type
    ///   are found when the handler is stored or called.
    public mutating func bind(_ arguments: HandlerArguments) throws(HandlerError) {
        try checkNotEnded()
        let stored = try arguments.stored(for: name)
        for argument in arguments.names {
            self.arguments[argument] = stored[argument]
            invalidation?.arguments?[argument] = stored[argument]
        }
    }

    /// A copy with arguments bound. See `bind(_:)`.
    public func binding(_ arguments: HandlerArguments) throws(HandlerError) -> Handler {
        var copy = self
        try copy.bind(arguments)
        return copy
    }

    /// Throws when this process knows that the handler has ended.
    package func checkNotEnded() throws(HandlerError) {
        if let mark { throw HandlerError(mark.error, handler: name) }
    }
}

extension HandlerMark {
    /// What it means for whoever comes too late.
    package var error: HandlerError.Kind {
        switch self {
        case .called: .alreadyCalled
        case .invalidated(let reason): .alreadyInvalidated(reason)
        }
    }
}
