// A promise as a bound argument of a handler. The handler stores the identity, and the call provides the center.

import Foundation
import Handlers

extension Promise: Storable {
    public static var storableType: StorableType { .promise }

    public func storedValue() -> StoredValue { .promise(PromiseReference(id: id)) }

    /// Always throws: a promise needs its center, which only a call can provide.
    public init(storedValue: StoredValue) throws {
        throw StorableMismatch(expected: "a PromiseCenter among the arguments of the call", actual: "none")
    }

    /// The promise of a stored handler, with the only `PromiseCenter` among the arguments of the call.
    public init(storedValue: StoredValue, given: HandlerArguments) throws {
        guard case .promise(let reference) = storedValue else {
            throw StorableMismatch(expected: .promise, actual: storedValue)
        }
        guard let center = given.only(PromiseCenter.self) else {
            throw StorableMismatch(
                expected: "one PromiseCenter among the arguments of the call", actual: "none or several")
        }
        self = center.promise(reference.id)
    }
}
