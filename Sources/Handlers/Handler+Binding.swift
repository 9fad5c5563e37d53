// Changes the bound arguments of a handler that has not ended.

extension Handler {
    /// Binds arguments, and replaces bound ones of the same names; `nil` removes one.
    ///
    /// Only this copy changes. Store the handler again to change the stored one.
    ///
    /// - Throws: `HandlerError` when the handler has ended, or for a value that is not storable. Storing or calling the
    ///   handler reports a value of the wrong type.
    public mutating func bind(_ arguments: HandlerArguments) throws(HandlerError) {
        try checkNotEnded()
        let stored = try arguments.stored(for: name)
        for argument in arguments.names {
            self.arguments[argument] = stored[argument]
            invalidation?.arguments?[argument] = stored[argument]
        }
    }

    /// Returns a copy with arguments bound. See `bind(_:)`.
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
    /// The error of a call or invalidation that comes after the mark.
    package var error: HandlerError.Kind {
        switch self {
        case .called: .alreadyCalled
        case .invalidated(let reason): .alreadyInvalidated(reason)
        }
    }
}
